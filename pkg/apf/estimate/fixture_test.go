package estimate

import "time"

const (
	kilobyte = 1_000
	megabyte = 1_000_000
)

// site is a history with a clock and one kind of list.
type site struct {
	history *History
	kind    ListKind
	prior   int64
	now     time.Duration
}

func newSite(prior int64) *site {
	return &site{history: NewHistory(), kind: ListKind{FromStorage: true, Selector: LabelSelector, Limit: 500}, prior: prior, now: time.Hour}
}

func pods() StoredType { return StoredType{Resource: "pods"} }

// estimate returns the estimate of the next list.
func (s *site) estimate() int64 { return s.history.Estimate(pods(), s.kind, s.prior, s.now) }

// list lists: it returns the estimate, and lets the history see what the list took.
func (s *site) list(bytes int64) int64 {
	estimate := s.estimate()
	s.history.Observe(pods(), s.kind, Observation{Bytes: bytes, Prior: s.prior, Took: time.Millisecond}, s.now)
	s.now += time.Second
	return estimate
}

// lists sends n lists.
func (s *site) lists(n int, bytes int64) {
	for range n {
		s.list(bytes)
	}
}
