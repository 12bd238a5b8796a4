package benchmarks

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// state is the concurrent work during the requests.
type state int32

const (
	between state = iota // not counted
	applying
	computing
	idle
	states
)

// sender sends requests one at a time and records their durations,
// including the wait for a free processor.
type sender struct {
	state  atomic.Int32
	epoch  atomic.Int64 // counts changes of state
	ended  chan struct{}
	delays [states]delays // read only after stop
}

// startSender starts a sender. It runs until it is stopped.
func startSender(e *engine.Engine) *sender {
	s := &sender{ended: make(chan struct{})}
	go func() {
		defer close(s.ended)
		last := time.Now()
		for epoch := int64(-1); ; {
			now := s.epoch.Load()
			if now < 0 {
				return
			}
			state := s.state.Load()
			runtime.Gosched() // as the read of a request would
			requestOfFlow(e, "user77")
			end := time.Now()
			s.delays[state].add(end.Sub(last), now != epoch)
			last, epoch = end, now
		}
	}()
	return s
}

// during calls f and counts the requests of that time for the state.
func (s *sender) during(state state, f func()) {
	s.state.Store(int32(state))
	s.epoch.Add(1)
	f()
	s.state.Store(int32(between))
}

func (s *sender) stop() {
	s.epoch.Store(-1)
	<-s.ended
}

// delays records the durations of requests in constant memory: the sender must
// not trigger the garbage collector.
type delays struct {
	count   int
	buckets [64 * 16]int // by the leading bits of the nanoseconds
	slowest []float64    // for each period of the state, in microseconds
}

func (d *delays) add(took time.Duration, first bool) {
	if first || len(d.slowest) == 0 {
		d.slowest = append(d.slowest, 0)
	}
	d.count++
	d.buckets[bucketOf(took)]++
	last := &d.slowest[len(d.slowest)-1]
	*last = max(*last, microseconds(took))
}

func microseconds(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// bucketOf returns the bucket of a duration, with a resolution of a sixteenth.
func bucketOf(d time.Duration) int {
	n := uint64(max(d, 16))
	power := bits.Len64(n) - 5
	return power*16 + int(n>>power)&15
}

// quantile returns the upper bound of the bucket of the given quantile, in
// microseconds.
func (d *delays) quantile(q float64) float64 {
	seen := 0
	for bucket, count := range d.buckets {
		if seen += count; float64(seen) >= q*float64(d.count) {
			return microseconds(time.Duration(bucket%16+17) << (bucket / 16))
		}
	}
	return 0
}
