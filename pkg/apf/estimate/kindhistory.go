package estimate

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// enough is the least weight of the lists seen to replace the prior: three lists have 2.31.
	enough = 2
	// maxGrowth is how many times larger the prior may have become since the last list.
	maxGrowth = 2
	// maxBytes bounds sizes, so that no sum overflows.
	maxBytes = 1 << 50
)

// kindHistory is what was learned of one kind of list.
type kindHistory struct {
	// What estimates read. They are stored in sequence; an estimate that reads
	// some of before and some of after a list is right for one of the two.
	bytes atomic.Int64
	prior atomic.Int64 // when the last list was measured
	until atomic.Int64 // when the prior becomes a floor again
	_     [40]byte     // estimates share a cache line that lists seldom change

	mu        sync.Mutex // guards what follows
	histogram histogram
	raised    int64 // bytes that a list had taken before it ended; 0 if all have ended
	lists     uint64
	took      float64 // mean duration of lists in nanoseconds, weighted as in the histogram
}

// estimate returns the bytes of a list of this kind.
func (c *kindHistory) estimate(prior int64, now time.Duration) int64 {
	bytes := c.bytes.Load()
	if int64(now) < c.until.Load() && prior <= maxGrowth*c.prior.Load() {
		return bytes
	}
	return max(bytes, prior)
}

func (c *kindHistory) observe(o Observation, now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	bytes := clamp(o.Bytes)
	c.histogram.add(float64(bytes), now)
	if bytes >= c.raised {
		c.raised = 0
	}
	c.lists++
	c.took += (float64(max(o.Took, 0)) - c.took) * max(1-keep, 1/float64(c.lists))
	set(&c.bytes, max(c.histogram.quantile(), c.raised))
	set(&c.prior, clamp(o.Prior))
	lasts := float64(halfLife) * math.Log2(c.histogram.weight()/enough)
	set(&c.until, int64(c.histogram.at)+int64(max(lasts, 0)))
}

// set stores a value that is different, so that others need not read it again.
func set(to *atomic.Int64, value int64) {
	if to.Load() != value {
		to.Store(value)
	}
}

func (c *kindHistory) raise(bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.raised = max(c.raised, bytes)
	set(&c.bytes, max(c.bytes.Load(), bytes))
}

func clamp(bytes int64) int64 { return min(max(bytes, 0), maxBytes) }
