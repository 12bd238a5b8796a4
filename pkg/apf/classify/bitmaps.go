package classify

import (
	"math/bits"
	"sort"
)

// bitmapIndex is the index of the rows that have too many tuples for the table, see the package
// comment. Rows are numbered in matching order.
type bitmapIndex struct {
	ranks    []uint32 // of each row
	subjects []bitSet // by number
	// lists holds the sets of verbs, API groups (or URLs), resources and
	// namespaces, each by number.
	lists [4][]bitSet
	empty bitSet
	memo  memo
}

// bitSet is a sparse set of row numbers.
type bitSet struct {
	words []uint32 // ascending: number / 64
	bits  []uint64 // of each word
}

func (b *bitSet) add(number uint32) {
	word := number / 64
	if last := len(b.words) - 1; last < 0 || b.words[last] != word {
		b.words = append(b.words, word)
		b.bits = append(b.bits, 0)
	}
	b.bits[len(b.bits)-1] |= 1 << (number % 64)
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

// newBitmaps returns the index of rows, which are in matching order. sizes are as for bitSetsOf.
func newBitmaps(y *yielder, rows []*row, sizes [5]uint32) *bitmapIndex {
	sets := bitSetsOf(y, rows, sizes)
	x := &bitmapIndex{ranks: make([]uint32, len(rows)), subjects: sets[0], lists: [4][]bitSet(sets[1:])}
	for number, r := range rows {
		x.ranks[number] = r.rank
	}
	return x
}

// bitSetsOf returns the sets of rows by the value in each of their lists, subjects first.
// sizes are the numbers of values that the vocabulary has. It counts the words of all sets before it
// allocates them together: growing each set would take twice as long.
func bitSetsOf(y *yielder, rows []*row, sizes [5]uint32) (sets [5][]bitSet) {
	for i, size := range sizes {
		sets[i] = make([]bitSet, size)
		ends := make([]uint32, size) // 1 + the last word of a set
		counts := make([]int, size)
		eachValue(y, rows, i, func(value, number uint32) {
			if end := number/64 + 1; ends[value] != end {
				ends[value] = end
				counts[value]++
			}
		})
		words := 0
		for _, count := range counts {
			words += count
		}
		slab := bitSet{words: make([]uint32, words), bits: make([]uint64, words)}
		for value, count := range counts {
			sets[i][value] = bitSet{words: slab.words[:0:count], bits: slab.bits[:0:count]}
			slab.words, slab.bits = slab.words[count:], slab.bits[count:]
		}
		eachValue(y, rows, i, func(value, number uint32) { sets[i][value].add(number) })
	}
	return sets
}

// eachValue calls f with each value in the i-th list of each row, subjects first, and with
// the number of the row.
func eachValue(y *yielder, rows []*row, i int, f func(value, number uint32)) {
	for number, r := range rows {
		list := [5][]uint32{r.subjects, r.verbs, r.groups, r.resources, r.namespaces}[i]
		y.spend(len(list))
		for _, value := range list {
			f(value, uint32(number))
		}
	}
}

// values are the verb, API group (or URL), resource and namespace of a request, as
// numbers.
type values [4]uint32

// sets returns the rows whose i-th list holds the value, and those whose i-th list
// holds the wildcard. If bit i is set in strict, the wildcard does not cover the
// value.
func (x *bitmapIndex) sets(i int, value uint32, strict uint) (exact, wild *bitSet) {
	list := x.lists[i]
	if value == wildcard || strict&(1<<i) != 0 {
		return &list[value], &x.empty
	}
	return &list[value], &list[wildcard]
}

// canMatch reports whether for each list some row covers the value. If not, no row
// matches.
func (x *bitmapIndex) canMatch(v values, strict uint) bool {
	for i, value := range v {
		exact, wild := x.sets(i, value, strict)
		if len(exact.words)+len(wild.words) == 0 {
			return false
		}
	}
	return true
}

// lookup returns the lowest rank, below best, of a row that matches the subject and the values; or
// best. strict has the meaning it has for sets, and must be a function of the values: the memo does
// not hold it.
func (x *bitmapIndex) lookup(subject uint32, v values, strict uint, best uint32) uint32 {
	rows := &x.subjects[subject]
	if len(rows.words) == 0 || x.ranks[rows.words[0]*64] >= best {
		return best
	}
	key := newMemoKey(subject, v)
	rank, known := x.memo.get(key)
	if !known {
		rank = x.walk(subject, v, strict)
		x.memo.put(key, rank)
	}
	return min(best, rank)
}

// walk returns the rank of the first row that is in the set of the subject and, for each list, in
// the set of the value or of the wildcard; or noRank.
func (x *bitmapIndex) walk(subject uint32, v values, strict uint) uint32 {
	rows := cursor{set: &x.subjects[subject]}
	var lists [4][2]cursor
	for i, value := range v {
		lists[i][0].set, lists[i][1].set = x.sets(i, value, strict)
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
			return x.ranks[word*64+uint32(bits.TrailingZeros64(common))]
		}
		word++
	}
}
