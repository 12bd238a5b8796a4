package estimate

import (
	"cmp"
	"slices"
	"time"
)

// LearnedRow is what was learned of one kind of list.
type LearnedRow struct {
	StoredType
	// ListKind is the kind without its limit; Limits is the range of the limit.
	Kind   ListKind
	Limits LimitRange
	// Bytes is the estimate of a list with the same result of the formula as the last list.
	Bytes int64
	// Prior is the result of the formula for the last list in bytes.
	Prior int64
	// Lists is the number of lists seen.
	Lists uint64
	// Took is the mean duration of the last lists.
	Took time.Duration
	// Floor reports whether the prior is a floor: too few lists were seen lately.
	Floor bool
}

// Report returns what was learned, ordered by group, resource and kind.
func (l *History) Report(now time.Duration) []LearnedRow {
	var rows []LearnedRow
	for t, known := range *l.types.Load() {
		for i := range known.histories {
			if c := known.histories[i].Load(); c != nil {
				rows = append(rows, c.row(t, i, now))
			}
		}
	}
	slices.SortFunc(rows, func(a, b LearnedRow) int {
		return cmp.Or(cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.order(), b.order()))
	})
	return rows
}

// order returns the place of the row among the rows of its type.
func (r LearnedRow) order() int {
	kind := r.Kind
	kind.Limit = r.Limits.Min
	return kind.index()
}

func (c *kindHistory) row(t StoredType, index int, now time.Duration) LearnedRow {
	kind, limits := kindAt(index)
	prior := c.prior.Load()
	c.mu.Lock()
	defer c.mu.Unlock()
	return LearnedRow{
		StoredType: t, Kind: kind, Limits: limits, Prior: prior, Lists: c.lists, Took: time.Duration(c.took),
		Bytes: c.estimate(prior, now), Floor: int64(now) >= c.until.Load(),
	}
}
