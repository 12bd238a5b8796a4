//go:build !race

package search

import (
	"math"
	"slices"
	"testing"
	"time"
)

// textbook is a Level that knows no cost before a request has ended: of the flows with a request that waits,
// pick chooses whose first one is next.
type textbook struct {
	host  Host
	free  int
	flows map[string]*textbookFlow
	ring  []*textbookFlow // in the order of the first request that waits
	pick  func(*textbook) int
}

type textbookFlow struct {
	waiting   []*Request
	executing []*Request
	used      float64 // seat-seconds of the requests that have ended
	deficit   float64 // seat-seconds that the flow may use
}

// attained returns the seat-seconds that the flow has used by now.
func (f *textbookFlow) attained(now time.Duration) float64 {
	used := f.used
	for _, r := range f.executing {
		used += (now - r.started).Seconds()
	}
	return used
}

func newTextbook(name string, pick func(*textbook) int) Discipline {
	return Discipline{Name: name, New: func(h Host, c Config) Level {
		return &textbook{host: h, free: c.Seats, flows: map[string]*textbookFlow{}, pick: pick}
	}}
}

// first picks the flow that began to wait first. With a single flow of all requests it is FIFO.
func first(*textbook) int { return 0 }

// leastAttained picks the flow that has used least.
func leastAttained(b *textbook) int {
	best, least := 0, math.Inf(1)
	for i, f := range b.ring {
		if used := f.attained(b.host.Now()); used < least {
			best, least = i, used
		}
	}
	return best
}

// quantum is what a flow is given in each round of deficit round robin, in seat-seconds.
const quantum = .01

// deficit picks the next flow with a deficit counter above zero (Shreedhar and Varghese, SIGCOMM 1995). It
// begins as many rounds as that takes. What a request costs is subtracted when it ends.
func deficit(b *textbook) int {
	rounds := math.Inf(1)
	for i, f := range b.ring {
		if f.deficit > 0 {
			return i
		}
		rounds = min(rounds, math.Floor(-f.deficit/quantum)+1)
	}
	for _, f := range b.ring {
		f.deficit += rounds * quantum
	}
	return deficit(b)
}

func (b *textbook) flowOf(r *Request) *textbookFlow {
	f := b.flows[r.Flow]
	if f == nil {
		f = &textbookFlow{}
		b.flows[r.Flow] = f
	}
	return f
}

// Arrive implements Level.
func (b *textbook) Arrive(r *Request) {
	f := b.flowOf(r)
	if f.waiting = append(f.waiting, r); len(f.waiting) == 1 {
		b.ring = append(b.ring, f)
	}
	b.start()
}

func (b *textbook) start() {
	for b.free > 0 && len(b.ring) > 0 {
		i := b.pick(b)
		f := b.ring[i]
		r := f.waiting[0]
		f.waiting = f.waiting[1:]
		b.ring = slices.Delete(b.ring, i, i+1)
		if len(f.waiting) > 0 {
			b.ring = append(b.ring, f)
		}
		b.free--
		f.executing = append(f.executing, r)
		b.host.Start(r)
	}
}

// Leave implements Level.
func (b *textbook) Leave(r *Request) {
	f := b.flowOf(r)
	f.waiting = slices.DeleteFunc(f.waiting, func(other *Request) bool { return other == r })
	b.ring = slices.DeleteFunc(b.ring, func(f *textbookFlow) bool { return len(f.waiting) == 0 })
}

// Finish implements Level.
func (b *textbook) Finish(r *Request) {
	f := b.flowOf(r)
	f.executing = slices.DeleteFunc(f.executing, func(other *Request) bool { return other == r })
	f.used += r.Work()
	f.deficit -= r.Work()
	b.free++
	b.start()
}

// SetSeats implements Level.
func (b *textbook) SetSeats(int) { panic("it does not change") }

// fifo is a textbook that takes all requests for one flow's.
type fifo struct{ *textbook }

func (b fifo) Arrive(r *Request) { b.as(r, b.textbook.Arrive) }
func (b fifo) Leave(r *Request)  { b.as(r, b.textbook.Leave) }
func (b fifo) Finish(r *Request) { b.as(r, b.textbook.Finish) }

func (b fifo) as(r *Request, call func(*Request)) {
	name := r.Flow
	r.Flow = ""
	call(r)
	r.Flow = name
}

func ofUnknownCosts() []Discipline {
	return append(libraries(), []Discipline{
		Engine(),
		{Name: "fifo", New: func(h Host, c Config) Level { return fifo{newTextbook("", first).New(h, c).(*textbook)} }},
		newTextbook("round-robin", first),
		newTextbook("least-attained-service", leastAttained),
		newTextbook("deficit-round-robin", deficit),
	}...)
}

// unknownCosts are a hundred tenants that always ask for 16 seats, after section 6.1 of 2DFQ (Mace et al.,
// SIGCOMM 2016): requests of small tenants take 1 ms, of expensive ones a second, and one in ten of
// unpredictable ones. The smallest tenant sends a request of 1 ms ten times a second.
func unknownCosts() Scenario {
	tenants := func(name string, n int, c Client) Client {
		c.Flow, c.Names, c.PerName, c.Threads, c.Jitter = name, PerThread, 4, 4*n, .1
		c.Patience = time.Hour
		return c
	}
	return Scenario{Config: Config{Seats: 16, Queues: 128, HandSize: 8, QueueLength: 50}, Seed: 1, Lasts: 60 * s, Clients: []Client{
		{Flow: "smallest", Names: 1, Threads: 1, Takes: ms, Think: 99 * ms, Jitter: .1, Patience: time.Hour},
		tenants("small", 50, Client{Takes: ms}),
		tenants("expensive", 25, Client{Takes: s}),
		tenants("unpredictable", 25, Client{Takes: ms, LongEach: 10, LongTakes: s}),
	}}
}

// isolation is what a discipline did for tenants that always ask, and for the smallest one.
type isolation struct {
	lag  float64 // the most that one was behind the mean, in seat-seconds
	jain float64 // of what they were given
	p99  float64 // from the arrival to the end of requests of the smallest tenant, in seconds
}

// isolationOf looks every 10 ms, after a level had ten seconds to learn.
func isolationOf(h *History) isolation {
	const step, warm = 10 * ms, 10 * s
	given, rate := map[string]float64{}, map[string]float64{}
	var out isolation
	var took []float64
	last, events := time.Duration(0), h.Events
	for at := step; at <= h.Scenario.Lasts; at += step {
		for len(events) > 0 && events[0].At <= at {
			e := events[0]
			events = events[1:]
			if e.Request.client == 0 {
				if e.Kind == Finished && at > warm {
					took = append(took, (e.At - e.Request.Arrived).Seconds())
				}
				continue
			}
			advance(given, rate, &last, e.At)
			switch e.Kind {
			case Arrived:
				rate[e.Request.Flow] += 0 // it counts from now on
			case Started:
				rate[e.Request.Flow]++
			case Finished:
				rate[e.Request.Flow]--
			}
		}
		advance(given, rate, &last, at)
		if at <= warm {
			clear(given)
		}
		sum, least := 0., math.Inf(1)
		for _, x := range given {
			sum, least = sum+x, min(least, x)
		}
		if len(given) > 0 {
			out.lag = max(out.lag, sum/float64(len(given))-least)
		}
	}
	sum, squares := 0., 0.
	for _, x := range given {
		sum, squares = sum+x, squares+x*x
	}
	out.jain = sum * sum / (float64(len(given)) * squares)
	slices.Sort(took)
	out.p99 = math.Inf(1)
	if len(took) > 0 {
		out.p99 = took[len(took)*99/100]
	}
	return out
}

func advance(given, rate map[string]float64, last *time.Duration, to time.Duration) {
	d := (to - *last).Seconds()
	*last = to
	if d == 0 {
		return
	}
	for name, r := range rate {
		given[name] += r * d
	}
}

// BenchmarkUnknownCosts compares disciplines in virtual time.
func BenchmarkUnknownCosts(b *testing.B) {
	for _, d := range ofUnknownCosts() {
		b.Run(d.Name, func(b *testing.B) {
			var got isolation
			for b.Loop() {
				scenario := unknownCosts()
				got = isolationOf(Run(&scenario, d))
			}
			b.ReportMetric(got.lag, "lag-seat-s")
			b.ReportMetric(got.jain, "jain")
			b.ReportMetric(got.p99, "smallest-p99-s")
			b.ReportMetric(0, "ns/op")
		})
	}
}
