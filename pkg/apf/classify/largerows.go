package classify

import (
	"math/bits"
	"slices"
)

// largeRows are the rows of a bitmapIndex, and how the next one is made.
type largeRows struct {
	base   *bitmaps
	rows   []*row // of base
	gone   rowSet
	left   int // how many rows of base are not gone
	recent []*row
	shared bool // a version has gone and recent
}

// add adds a row, in any order.
func (l *largeRows) add(r *row) {
	l.own()
	l.recent = append(l.recent, r)
}

// remove removes a row.
func (l *largeRows) remove(r *row) {
	l.own()
	if r.place == 0 {
		l.recent = slices.DeleteFunc(l.recent, func(one *row) bool { return one == r })
		return
	}
	l.gone = l.gone.with(r.place-1, len(l.rows))
	l.left--
}

// own copies what a version has.
func (l *largeRows) own() {
	if l.shared {
		l.gone, l.recent, l.shared = slices.Clone(l.gone), slices.Clone(l.recent), false
	}
}

// index returns the index of the rows; nil without rows. subjects and sizes are as for newBitmaps.
func (l *largeRows) index(y *yielder, ranks []uint32, subjects uint32, sizes [4]uint32) *bitmapIndex {
	slices.SortStableFunc(l.recent, func(a, b *row) int { return int(ranks[a.schema]) - int(ranks[b.schema]) })
	if l.base == nil || len(l.recent) > maxRecent || l.left < len(l.rows)/2 {
		l.rebuild(y, ranks, subjects, sizes)
	}
	l.shared = true
	if l.left+len(l.recent) == 0 {
		return nil
	}
	return &bitmapIndex{base: l.base, gone: l.gone, recent: l.recent}
}

// rebuild makes new sets of all rows.
func (l *largeRows) rebuild(y *yielder, ranks []uint32, subjects uint32, sizes [4]uint32) {
	all := make([]*row, 0, l.left+len(l.recent))
	rest := l.recent
	for number, r := range l.rows {
		if l.gone.has(uint32(number)) {
			continue
		}
		for len(rest) > 0 && ranks[rest[0].schema] < ranks[r.schema] {
			all, rest = append(all, rest[0]), rest[1:]
		}
		all = append(all, r)
	}
	all = append(all, rest...)
	for number, r := range all {
		r.place = uint32(number) + 1
	}
	*l = largeRows{base: newBitmaps(y, all, subjects, sizes), rows: all, left: len(all)}
}

// rowSet is a dense set of row numbers, a bit each. nil is empty.
type rowSet []uint64

// with returns the set with a number, which is below limit.
func (s rowSet) with(number uint32, limit int) rowSet {
	if s == nil {
		s = make(rowSet, (limit+63)/64)
	}
	s[number/64] |= 1 << (number % 64)
	return s
}

// word returns the numbers from 64 word on.
func (s rowSet) word(word uint32) uint64 {
	if int(word) >= len(s) {
		return 0
	}
	return s[word]
}

func (s rowSet) has(number uint32) bool { return s.word(number/64)&(1<<(number%64)) != 0 }

// next returns the first number from begin on, a multiple of 64, that is not in the set.
func (s rowSet) next(begin uint32) uint32 {
	for word := begin / 64; ; word++ {
		if rest := ^s.word(word); rest != 0 {
			return word*64 + uint32(bits.TrailingZeros64(rest))
		}
	}
}
