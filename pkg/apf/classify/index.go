package classify

import (
	"math/bits"
	"slices"
	"sort"
)

// The lists of a row, by place.
const (
	subjectPlace = iota
	verbPlace
	groupPlace // API groups, or URLs in rows of non-resource rules
	resourcePlace
	namespacePlace
	places
)

// values are the values of a request, a number for each list.
type values [places]uint32

// noRank is the rank of no schema.
const noRank = ^uint32(0)

// wordSize is the number of rows of a word.
const wordSize = 64

// index finds the rows of one kind, resource or non-resource, that match a request. Rows are numbered
// in matching order.
type index struct {
	urls  bool             // the rows are of non-resource rules
	ranks []uint32         // of each row
	sets  [places][]bitSet // of rows, by place and value
	empty bitSet
	// matchAll is, for each subject, the lowest rank of a row that matches all of its requests, or noRank.
	matchAll []uint32
	memo     *memo // of walks; nil if all rows are in one word
}

// bitSet is a sparse set of row numbers.
type bitSet struct {
	words []uint32 // ascending: number / wordSize
	bits  []uint64 // of each word
	first uint64   // bits of word 0
}

func (b *bitSet) add(number uint32) {
	word := number / wordSize
	if last := len(b.words) - 1; last < 0 || b.words[last] != word {
		b.words = append(b.words, word)
		b.bits = append(b.bits, 0)
	}
	bit := uint64(1) << (number % wordSize)
	b.bits[len(b.bits)-1] |= bit
	if word == 0 {
		b.first |= bit
	}
}

// newIndex returns an index of rows, which are in matching order. sizes are the numbers of values that
// the vocabulary has for each list.
func newIndex(y *yielder, urls bool, rows []row, sizes [places]uint32) index {
	x := index{
		urls: urls, ranks: make([]uint32, len(rows)), sets: bitSetsOf(y, rows, sizes),
		matchAll: slices.Repeat([]uint32{noRank}, int(sizes[subjectPlace])),
	}
	for number := range rows {
		r := &rows[number]
		x.ranks[number] = r.rank
		if r.matchesAll {
			for _, subject := range r.lists[subjectPlace] {
				x.matchAll[subject] = min(x.matchAll[subject], r.rank)
			}
		}
	}
	if len(rows) > wordSize {
		x.memo = new(memo)
	}
	return x
}

// bitSetsOf returns the sets of rows by the value in each of their lists. It counts the words of all
// sets before it allocates them together: growing each set would take twice as long.
func bitSetsOf(y *yielder, rows []row, sizes [places]uint32) (sets [places][]bitSet) {
	for place, size := range sizes {
		sets[place] = make([]bitSet, size)
		ends := make([]uint32, size) // 1 + the last word of a set
		counts := make([]int, size)
		words := 0
		eachValue(y, rows, place, func(value, number uint32) {
			if end := number/wordSize + 1; ends[value] != end {
				ends[value] = end
				counts[value]++
				words++
			}
		})
		slab := bitSet{words: make([]uint32, words), bits: make([]uint64, words)}
		for value, count := range counts {
			sets[place][value] = bitSet{words: slab.words[:0:count], bits: slab.bits[:0:count]}
			slab.words, slab.bits = slab.words[count:], slab.bits[count:]
		}
		eachValue(y, rows, place, func(value, number uint32) { sets[place][value].add(number) })
	}
	return sets
}

// eachValue calls f with each value in the list of each row at a place, and with the number of the row.
func eachValue(y *yielder, rows []row, place int, f func(value, number uint32)) {
	for number := range rows {
		list := rows[number].lists[place]
		y.spend(len(list))
		for _, value := range list {
			f(value, uint32(number))
		}
	}
}

// covering returns the rows whose list at a place has the value, and those whose list has the wildcard if
// that covers the value: not cluster scope, nor a URL, whose parents are looked up in turn.
func (x *index) covering(place int, value uint32) (exact, wild *bitSet) {
	sets := x.sets[place]
	if value == wildcard || place == namespacePlace && value == clusterScope || place == groupPlace && x.urls {
		return &sets[value], &x.empty
	}
	return &sets[value], &sets[wildcard]
}

// firstCovering returns which of the first rows cover the value at a place.
func (x *index) firstCovering(place int, value uint32) uint64 {
	exact, wild := x.covering(place, value)
	return exact.first | wild.first
}

// lookup returns the lowest rank, below best, of a row that matches the values; or best. first are the
// first rows that cover the verb, the resource and the namespace.
func (x *index) lookup(v *values, first uint64, best uint32) uint32 {
	rows := &x.sets[subjectPlace][v[subjectPlace]]
	if len(rows.words) == 0 || x.ranks[rows.words[0]*wordSize] >= best {
		return best
	}
	if common := rows.first & first & x.firstCovering(groupPlace, v[groupPlace]); common != 0 {
		return min(best, x.ranks[bits.TrailingZeros64(common)])
	}
	if x.memo == nil {
		return best
	}
	key := newMemoKey(v)
	rank, known := x.memo.get(key)
	if !known {
		rank = x.walk(v)
		x.memo.put(key, rank)
	}
	return min(best, rank)
}

// walk returns the rank of the first row that is in the set of the subject and, for each other list, in
// the set of the value or of the wildcard; or noRank.
func (x *index) walk(v *values) uint32 {
	rows := cursor{set: &x.sets[subjectPlace][v[subjectPlace]]}
	var lists [places - verbPlace][2]cursor
	for i := range lists {
		lists[i][0].set, lists[i][1].set = x.covering(verbPlace+i, v[verbPlace+i])
	}
	for word := uint32(0); ; {
		next := rows.seek(word)
		for i := range lists {
			next = max(next, min(lists[i][0].seek(word), lists[i][1].seek(word)))
		}
		if next == noWord {
			return noRank
		}
		if next > word {
			// A cursor skipped words: move the others there.
			word = next
			continue
		}
		common := rows.bitsAt(word)
		for i := range lists {
			common &= lists[i][0].bitsAt(word) | lists[i][1].bitsAt(word)
		}
		if common != 0 {
			return x.ranks[word*wordSize+uint32(bits.TrailingZeros64(common))]
		}
		word++
	}
}

// cursor iterates over a bitSet in ascending order.
type cursor struct {
	set *bitSet
	at  int
}

const noWord = ^uint32(0)

// seek moves to the first word that is at least the given one and returns it, or
// noWord.
func (c *cursor) seek(word uint32) uint32 {
	words := c.set.words
	if c.at < len(words) && words[c.at] < word {
		// Usually it is the next word.
		c.at++
		if c.at < len(words) && words[c.at] < word {
			rest := words[c.at:]
			c.at += sort.Search(len(rest), func(i int) bool { return rest[i] >= word })
		}
	}
	if c.at >= len(words) {
		return noWord
	}
	return words[c.at]
}

// bitsAt returns the bits of a word after seek of that word.
func (c *cursor) bitsAt(word uint32) uint64 {
	if c.at < len(c.set.words) && c.set.words[c.at] == word {
		return c.set.bits[c.at]
	}
	return 0
}
