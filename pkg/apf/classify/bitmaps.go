package classify

import (
	"math/bits"
	"sort"
)

// bitmaps are the sets of rows of a bitmapIndex. Rows are numbered in matching order.
type bitmaps struct {
	schemas  []uint32 // of each row
	subjects []bitSet // by number
	// lists holds the sets of verbs, API groups (or URLs), resources and
	// namespaces, each by number.
	lists [4][]bitSet
	empty bitSet
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

// newBitmaps returns the sets of the rows, which are in matching order. subjects and sizes
// are the numbers of values that the vocabulary has for subjects and for the lists.
func newBitmaps(y *yielder, rows []*row, subjects uint32, sizes [4]uint32) *bitmaps {
	x := &bitmaps{schemas: make([]uint32, len(rows))}
	if len(rows) == 0 {
		return x
	}
	for number, r := range rows {
		x.schemas[number] = r.schema
	}
	sets := bitSetsOf(y, rows, [5]uint32{subjects, sizes[0], sizes[1], sizes[2], sizes[3]})
	x.subjects = sets[0]
	copy(x.lists[:], sets[1:])
	return x
}

// bitSetsOf returns the sets of rows by the value in each of their lists, subjects first.
// sizes are the numbers of values. It counts the words of all sets before it allocates them
// together: growing each set would take twice as long.
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
func (x *bitmaps) sets(i int, value uint32, strict uint) (exact, wild *bitSet) {
	if value == wildcard || strict&(1<<i) != 0 {
		return x.set(x.lists[i], value), &x.empty
	}
	return x.set(x.lists[i], value), x.set(x.lists[i], wildcard)
}

// set returns the set of a value. A value that is newer than the index is in no row.
func (x *bitmaps) set(list []bitSet, value uint32) *bitSet {
	if int(value) >= len(list) {
		return &x.empty
	}
	return &list[value]
}

// canMatch reports whether for each list some row covers the value. If not, no row
// matches.
func (x *bitmaps) canMatch(v values, strict uint) bool {
	for i, value := range v {
		exact, wild := x.sets(i, value, strict)
		if len(exact.words)+len(wild.words) == 0 {
			return false
		}
	}
	return true
}

// walk returns the schema of the first row that is in the set of the subject and, for
// each list, in the set of the value or of the wildcard, and not in gone; or noSchema.
func (x *bitmaps) walk(subject uint32, v values, strict uint, gone rowSet) uint32 {
	rows := cursor{set: x.set(x.subjects, subject)}
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
			return noSchema
		}
		if next > word {
			// A cursor skipped words: move the others there.
			word = next
			continue
		}
		common := rows.bitsAt(word) &^ gone.word(word)
		for i := range lists {
			common &= lists[i][0].bitsAt(word) | lists[i][1].bitsAt(word)
		}
		if common != 0 {
			return x.schemas[word*64+uint32(bits.TrailingZeros64(common))]
		}
		word++
	}
}
