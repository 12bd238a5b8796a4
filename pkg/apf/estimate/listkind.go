package estimate

import (
	"math/bits"
	"strconv"
)

// Selector says which selectors a list has.
type Selector uint8

// The selectors.
const (
	// NoSelector is a list without a selector.
	NoSelector Selector = iota
	// LabelSelector is a list with a label selector.
	LabelSelector
	// FieldSelector is a list with a field selector.
	FieldSelector
	// BothSelectors is a list with both.
	BothSelectors
	// OneName is a list of the object of one name.
	OneName

	selectors = int(OneName) + 1
)

// String returns the selectors in words.
func (s Selector) String() string {
	switch s {
	case LabelSelector:
		return "labels"
	case FieldSelector:
		return "fields"
	case BothSelectors:
		return "labels+fields"
	case OneName:
		return "name"
	default:
		return "none"
	}
}

// StoredType is a stored type.
type StoredType struct{ Group, Resource string }

// ListKind is a kind of list of one type.
type ListKind struct {
	// FromStorage reports whether the storage serves the list, not a cache.
	FromStorage bool
	// Namespaced reports whether it is a list of one namespace.
	Namespaced bool
	// Whole reports whether the response is encoded as a whole, not object by object.
	Whole    bool
	Selector Selector
	// Limit is the largest number of objects of the response; not positive means no
	// limit.
	Limit int64
}

const (
	// limits is the number of ranges of the limit: none, 1 to 3, 4 to 15, 16 to 63, 64 to
	// 255, 256 to 1023, and more.
	limits = 7
	kinds  = 2 * 2 * 2 * selectors * limits
)

// limitRange returns the index of the range of a limit.
func limitRange(limit int64) int {
	if limit <= 0 {
		return 0
	}
	return min((bits.Len64(uint64(limit))+1)/2, limits-1)
}

// LimitRange is a range of limits. The zero Range means no limit; Max is 0 if there is no
// largest limit.
type LimitRange struct{ Min, Max int64 }

// String returns the range as none, 4-15 or 1024-.
func (r LimitRange) String() string {
	switch {
	case r.Min == 0:
		return "none"
	case r.Max == 0:
		return strconv.FormatInt(r.Min, 10) + "-"
	default:
		return strconv.FormatInt(r.Min, 10) + "-" + strconv.FormatInt(r.Max, 10)
	}
}

// rangeAt returns the range with an index.
func rangeAt(index int) LimitRange {
	switch index {
	case 0:
		return LimitRange{}
	case limits - 1:
		return LimitRange{Min: 1 << (2 * (index - 1))}
	default:
		return LimitRange{Min: 1 << (2 * (index - 1)), Max: 1<<(2*index) - 1}
	}
}

// index returns the place of the kind in the table of a type.
func (k ListKind) index() int {
	limit := limitRange(k.Limit)
	if k.Selector >= OneName { // the limit does not matter
		k.Selector, limit = OneName, 0
	}
	i := 0
	for _, flag := range [...]bool{k.FromStorage, k.Namespaced, k.Whole} {
		i *= 2
		if flag {
			i++
		}
	}
	return (i*selectors+int(k.Selector))*limits + limit
}

// kindAt returns the kind with an index, without its limit, and the range of its limit.
func kindAt(index int) (ListKind, LimitRange) {
	flags := index / limits / selectors
	return ListKind{
		FromStorage: flags&4 != 0, Namespaced: flags&2 != 0, Whole: flags&1 != 0,
		Selector: Selector(index / limits % selectors),
	}, rangeAt(index % limits)
}
