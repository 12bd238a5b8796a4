package scenario

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// arrivals returns the arrivals of an open-loop client, one after the other; ok is false
// after the last one.
type arrivals func() (at time.Duration, ok bool)

// open is an open-loop client.
type open struct {
	identity
	arrivals arrivals
}

var _ agent = (*open)(nil)

func newOpen(i identity, o *Open) *open {
	switch {
	case o.Poisson != nil:
		return &open{i, poisson(i.random, i.from, o.Poisson.Rate)}
	case o.Constant != nil:
		return &open{i, constant(i.random, i.from, o.Constant.Rate)}
	case o.Bursts != nil:
		return &open{i, o.Bursts.arrivals(i.random, i.from)}
	default:
		return &open{i, o.Recorded.arrivals(i.random, i.from)}
	}
}

func (o *open) start() (time.Duration, bool) { return o.arrivals() }

func (o *open) send(time.Duration) (trace.Request, time.Duration, bool) {
	next, ok := o.arrivals()
	return o.choose(), next, ok
}

func (o *open) answer(time.Duration, Answer) (time.Duration, bool) { return 0, false }

// poisson returns arrivals of a Poisson process, of a rate a second.
func poisson(random *rand.Rand, from time.Duration, rate float64) arrivals {
	at := float64(from)
	return func() (time.Duration, bool) {
		at += random.ExpFloat64() / rate * float64(time.Second)
		return time.Duration(at), at < math.MaxInt64
	}
}

// constant returns arrivals at equal distances, the first within the first of them.
func constant(random *rand.Rand, from time.Duration, rate float64) arrivals {
	period := float64(time.Second) / rate
	first, n := float64(from)+random.Float64()*period, 0
	return func() (time.Duration, bool) {
		at := first + float64(n)*period
		n++
		return time.Duration(at), true
	}
}

func (b *Bursts) arrivals(random *rand.Rand, from time.Duration) arrivals {
	n := 0
	return inBatches(random, func() (time.Duration, time.Duration, int, bool) {
		begin := from + time.Duration(n)*time.Duration(b.Every)
		n++
		return begin, time.Duration(b.Within), b.Size, true
	})
}

// arrivals returns as many arrivals in each step as the trace has times Scale; a
// fraction is a probability.
func (r *Recorded) arrivals(random *rand.Rand, from time.Duration) arrivals {
	n := 0
	return inBatches(random, func() (time.Duration, time.Duration, int, bool) {
		if n == len(r.counts) {
			return 0, 0, 0, false
		}
		begin, scaled := from+time.Duration(n)*time.Duration(r.Step), float64(r.counts[n])*r.Scale
		n++
		return begin, time.Duration(r.Step), int(scaled + random.Float64()), true
	})
}

// inBatches returns arrivals at random times within batches. next returns the begin,
// the length and the number of arrivals of each.
func inBatches(random *rand.Rand, next func() (begin, within time.Duration, count int, ok bool)) arrivals {
	var batch []time.Duration
	return func() (time.Duration, bool) {
		for len(batch) == 0 {
			begin, within, count, ok := next()
			if !ok {
				return 0, false
			}
			for range count {
				batch = append(batch, begin+time.Duration(random.Float64()*float64(within)))
			}
			slices.Sort(batch)
		}
		at := batch[0]
		batch = batch[1:]
		return at, true
	}
}
