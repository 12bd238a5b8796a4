package heavyhitters

import (
	"cmp"
	"math"
	"slices"
)

// merger adds summaries, see the package comment. The zero value is empty.
type merger struct {
	flows map[uint64]*merged
	floor float64 // sum of the floors
	total float64
}

// merged is a flow in several summaries.
type merged struct {
	Flow
	sum, excess float64 // beyond the floor of the merger
}

// include adds a part of a summary.
func (m *merger) include(s *summary, part float64) {
	if m.flows == nil {
		m.flows = make(map[uint64]*merged, len(s.counters))
	}
	floor := float64(s.floor)
	m.floor += part * floor
	m.total += part * float64(s.total)
	for i := range s.counters {
		c := &s.counters[i]
		f := m.flows[c.key]
		if f == nil {
			f = &merged{Flow: Flow{c.schema, string(c.distinguisher)}}
			m.flows[c.key] = f
		}
		f.sum += part * (float64(c.sum) - floor)
		f.excess += part * (float64(c.excess) - floor)
	}
}

// summarize writes the k largest flows to an empty summary.
func (m *merger) summarize(s *summary) {
	type entry struct {
		key uint64
		*merged
	}
	all := make([]entry, 0, len(m.flows))
	for key, f := range m.flows {
		all = append(all, entry{key, f})
	}
	slices.SortFunc(all, func(a, b entry) int {
		return cmp.Or(cmp.Compare(b.sum, a.sum), a.compareName(b.merged))
	})
	s.total, s.floor = int64(m.total), int64(m.floor)
	for i, f := range all {
		sum := int64(math.Round(m.floor + f.sum))
		if i == Counters {
			s.floor = sum
			break
		}
		s.counters[s.grow()].set(f.key, f.Schema, f.Distinguisher, sum, int64(math.Round(m.floor+f.excess)))
	}
}

func (f *merged) compareName(other *merged) int {
	return cmp.Or(cmp.Compare(f.Schema, other.Schema), cmp.Compare(f.Distinguisher, other.Distinguisher))
}
