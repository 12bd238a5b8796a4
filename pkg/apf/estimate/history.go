package estimate

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// maxTypes is the number of types that are learned.
	maxTypes = 256
	// idle is how long no list of a type was measured before another may replace it.
	idle = time.Hour
)

// Observation is what one list took.
type Observation struct {
	// Bytes are what the list had in memory at one time.
	Bytes int64
	// Prior are the bytes of the formula for this list.
	Prior int64
	// Took is how long it executed.
	Took time.Duration
}

// History remembers how much memory lists took. It is safe for concurrent use. All times are of one
// monotonic clock. Create one with NewHistory.
type History struct {
	types      atomic.Pointer[map[StoredType]*table] // replaced as a whole
	unmeasured atomic.Int64                          // seats of what Admit counted

	mu sync.Mutex // held while types is replaced
}

// table has the kinds of one type.
type table struct {
	histories [kinds]atomic.Pointer[kindHistory]
	last      atomic.Int64 // time of the last observation
}

// NewHistory returns a History that has seen no list.
func NewHistory() *History {
	l := &History{}
	l.types.Store(&map[StoredType]*table{})
	return l
}

// Estimate returns the bytes that a list is expected to have in memory at one time.
// prior are the bytes of the formula.
func (l *History) Estimate(t StoredType, k ListKind, prior int64, now time.Duration) int64 {
	prior = clamp(prior)
	known := (*l.types.Load())[t]
	if known == nil {
		return prior
	}
	c := known.histories[k.index()].Load()
	if c == nil {
		return prior
	}
	return c.estimate(prior, now)
}

// Observe tells what a list took.
func (l *History) Observe(t StoredType, k ListKind, o Observation, now time.Duration) {
	if c := l.ofKind(t, k, now); c != nil {
		c.observe(o, now)
	}
}

// Raise raises the estimate to bytes, if it is less, because a list that still executes
// has taken that many. The caller calls Observe when the list ends, with at least as many
// bytes. Until then, or until another list took as many, no list lowers the estimate
// again.
func (l *History) Raise(t StoredType, k ListKind, bytes int64, now time.Duration) {
	if c := l.ofKind(t, k, now); c != nil {
		c.raise(clamp(bytes))
	}
}

// ofKind returns the history of a kind, or nil if there are too many types.
func (l *History) ofKind(t StoredType, k ListKind, now time.Duration) *kindHistory {
	known := (*l.types.Load())[t]
	if known == nil {
		if known = l.add(t, now); known == nil {
			return nil
		}
	}
	if int64(now)-known.last.Load() >= int64(resolution) {
		known.last.Store(int64(now))
	}
	slot := &known.histories[k.index()]
	if c := slot.Load(); c != nil {
		return c
	}
	slot.CompareAndSwap(nil, &kindHistory{histogram: histogram{at: now}})
	return slot.Load()
}

// add returns the table of a type, or nil if there are too many types.
func (l *History) add(t StoredType, now time.Duration) *table {
	l.mu.Lock()
	defer l.mu.Unlock()
	present := *l.types.Load()
	if known := present[t]; known != nil {
		return known
	}
	next := maps.Clone(present)
	if len(next) >= maxTypes && !removeIdle(next, now) {
		return nil
	}
	added := &table{}
	added.last.Store(int64(now))
	next[t] = added
	l.types.Store(&next)
	return added
}

// removeIdle removes the type whose last list is the oldest, if that is idle, and
// reports whether it did.
func removeIdle(types map[StoredType]*table, now time.Duration) bool {
	var oldest StoredType
	last := now - idle
	for t, known := range types {
		if at := time.Duration(known.last.Load()); at < last {
			oldest, last = t, at
		}
	}
	before := len(types)
	delete(types, oldest)
	return len(types) < before
}
