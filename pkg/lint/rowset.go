package lint

import (
	"math/bits"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// rowSet is a set of numbers of rows, a bit each: scratch space to unite and intersect sets. The
// sets of package classify are sparse and never change, because it has one for each value: for
// 10,000 schemas with long lists, 30,000 sets in 8 MB instead of 38.
type rowSet []uint64

func words(limit int) int { return (limit + 63) / 64 }

// reset removes the rows below the limit.
func (s rowSet) reset(limit int) { clear(s[:words(limit)]) }

// insert inserts the rows below the limit, and perhaps others in the same word.
func (s rowSet) insert(rows *numbers, limit int) {
	switch {
	case rows == nil:
	case rows.set != nil:
		s.or(rows.set, limit)
	default:
		s.insertList(rows.list, limit)
	}
}

func (s rowSet) insertList(rows []int32, limit int) {
	for _, number := range rows {
		if int(number) >= limit {
			return
		}
		s[number/64] |= 1 << (number % 64)
	}
}

func (s rowSet) and(other rowSet, limit int) {
	for i := range s[:words(limit)] {
		s[i] &= other[i]
	}
}

func (s rowSet) or(other rowSet, limit int) {
	for i := range s[:words(limit)] {
		s[i] |= other[i]
	}
}

// first returns the first row below the limit, or -1.
func (s rowSet) first(limit int) int { return s.next(0, limit) }

// next returns the first row from begin and below the limit, or -1.
func (s rowSet) next(begin, limit int) int {
	for begin < limit {
		if rest := s[begin/64] >> (begin % 64); rest != 0 {
			if number := begin + bits.TrailingZeros64(rest); number < limit {
				return number
			}
			return -1
		}
		begin = (begin/64 + 1) * 64
	}
	return -1
}

// numbers are the numbers of rows. The rows of a schema are next to each other, and schemas ascend.
// A long list is a set instead.
type numbers struct {
	list []int32
	set  rowSet
}

func (n *numbers) append(number int32) { n.list = append(n.list, number) }

// densify turns a list into a set if that is quicker to insert. count is the number of
// all rows.
func (n *numbers) densify(count int) {
	if len(n.list) <= words(count) {
		return
	}
	n.set = make(rowSet, words(count))
	n.set.insertList(n.list, count)
	n.list = nil
}

// place holds the rows that cover each value in one place of a rule, and the rows that cover all
// values.
type place struct {
	all    numbers
	values map[string]*numbers
}

func (p *place) insert(list []string, number int32) {
	if rules.IsAll(list) {
		p.all.append(number)
		return
	}
	if p.values == nil {
		p.values = map[string]*numbers{}
	}
	for _, value := range list {
		entry(p.values, value).append(number)
	}
}

// entry returns the numbers of a key, which it adds.
func entry[K comparable](all map[K]*numbers, key K) *numbers {
	if all[key] == nil {
		all[key] = &numbers{}
	}
	return all[key]
}
