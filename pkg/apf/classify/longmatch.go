package classify

import "math/bits"

// values are a request's verb, API group (or URL), resource and namespace in
// numbers.
type values [4]uint32

// sets returns the two sets of rows that hold the value in the i-th list, or
// the wildcard. A value whose bit is set in strict is not covered by the
// wildcard.
func (l *long) sets(i int, value uint32, strict uint) (exact, wild *bitSet) {
	if value == wildcard || strict&(1<<i) != 0 {
		return &l.lists[i][value], &l.none
	}
	return &l.lists[i][value], &l.lists[i][wildcard]
}

// promises tells whether each list has a row that covers the request.
func (l *long) promises(v values, strict uint) bool {
	for i, value := range v {
		exact, wild := l.sets(i, value, strict)
		if len(exact.words)+len(wild.words) == 0 {
			return false
		}
	}
	return true
}

// lookup returns the lowest rank, below best, of a row that holds the subject
// and, in each list, the value or the wildcard; or best. strict is that of
// sets; it must follow from the values.
func (l *long) lookup(subject uint32, v values, strict uint, best uint32) uint32 {
	who := &l.subjects[subject]
	if len(who.words) == 0 || l.ranks[who.words[0]*64] >= best {
		return best
	}
	key := newMemoKey(subject, v)
	rank, known := l.memo.get(key)
	if !known {
		rank = l.walk(who, v, strict)
		l.memo.put(key, rank)
	}
	return min(best, rank)
}

// walk returns the lowest rank of a row that is in the set of the subject and,
// for each list, in that of the value or of the wildcard; or noRank.
func (l *long) walk(subject *bitSet, v values, strict uint) uint32 {
	who := cursor{set: subject}
	var what [4][2]cursor
	for i, value := range v {
		what[i][0].set, what[i][1].set = l.sets(i, value, strict)
	}
	for word := uint32(0); ; {
		next := who.seek(word)
		for i := range what {
			next = max(next, min(what[i][0].seek(word), what[i][1].seek(word)))
		}
		if next == noWord {
			return noRank
		}
		if next > word {
			// Somebody skipped: see whether the others can follow.
			word = next
			continue
		}
		common := who.bitsAt(word)
		for i := range what {
			common &= what[i][0].bitsAt(word) | what[i][1].bitsAt(word)
		}
		if common != 0 {
			return l.ranks[word*64+uint32(bits.TrailingZeros64(common))]
		}
		word++
	}
}
