package classify

import "sort"

// long is the index of the rows that are too large to be written as tuples.
// Rows are numbered in order of rank.
type long struct {
	ranks    []uint32 // of each row
	subjects []bitSet // by number
	// lists holds the sets of verbs, API groups (or URLs), resources and
	// namespaces, each by number.
	lists [4][]bitSet
	none  bitSet
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

// cursor walks a bitSet upwards.
type cursor struct {
	set *bitSet
	at  int
}

const noWord = ^uint32(0)

// seek moves to the first word that is not below the given one and returns it.
func (c *cursor) seek(word uint32) uint32 {
	words := c.set.words
	if c.at < len(words) && words[c.at] < word {
		// Mostly the next word is the one; if not, it may be far.
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

// bitsAt returns the bits of a word that the cursor sought.
func (c *cursor) bitsAt(word uint32) uint64 {
	if c.at < len(c.set.words) && c.set.words[c.at] == word {
		return c.set.bits[c.at]
	}
	return 0
}

// newLong returns the index of the given rows. sizes are the numbers of
// values that the vocabulary has for subjects and for the four lists.
func newLong(p *pace, rows []row, subjects uint32, sizes [4]uint32) *long {
	if len(rows) == 0 {
		return nil
	}
	l := &long{ranks: make([]uint32, len(rows)), subjects: make([]bitSet, subjects)}
	for i, size := range sizes {
		l.lists[i] = make([]bitSet, size)
	}
	for number := range rows {
		r := &rows[number]
		l.ranks[number] = r.rank
		p.spend(len(r.subjects) + len(r.verbs) + len(r.groups) + len(r.resources) + len(r.namespaces))
		for _, subject := range r.subjects {
			l.subjects[subject].add(uint32(number))
		}
		for i, values := range [4][]uint32{r.verbs, r.groups, r.resources, r.namespaces} {
			for _, value := range values {
				l.lists[i][value].add(uint32(number))
			}
		}
	}
	return l
}
