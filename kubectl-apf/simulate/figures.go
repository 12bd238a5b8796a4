package simulate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// figures count what became of requests.
type figures struct {
	requests, retries uint64
	rejected          map[string]uint64 // by reason
	waits             histogram         // of those dispatched
	seatSeconds       float64
}

func (f *figures) reject(reason string) {
	if f.rejected == nil {
		f.rejected = map[string]uint64{}
	}
	f.rejected[reason]++
}

// suffered reports whether a request waited or was rejected.
func (f *figures) suffered() bool { return len(f.rejected) > 0 || f.waits.count > f.waits.zeros }

// flowKey identifies a flow.
type flowKey struct{ level, schema, distinguisher string }

// maxFlows is the number of flows that are counted apart. Later ones count together.
const maxFlows = 50_000

// otherFlows is the distinguisher of flows that are not counted apart.
const otherFlows = "(other flows)"

// levelFigures are figures of one level, and its seats over time.
type levelFigures struct {
	figures
	config                         engine.LevelConfig
	nominal, lower, upper, current int // of all replicas

	seats, waiting int // now
	since          time.Duration
	whole          usage // since the beginning
	part           usage // since the last sample
	limit          spread
	lent           spread
	samples        []sample
}

// usage integrates the use of a level.
type usage struct {
	seatSeconds, borrowedSeconds float64
	mostSeats, mostWaiting       int
	longestWait                  time.Duration
	rejected                     uint64
}

// spread is the mean and the extremes of values of equal weight.
type spread struct {
	sum, least, most float64
	count            int
}

func (s *spread) add(value float64) {
	if s.count == 0 || value < s.least {
		s.least = value
	}
	s.most = max(s.most, value)
	s.sum += value
	s.count++
}

func (s *spread) mean() float64 { return s.sum / max(float64(s.count), 1) }

// sample is a part of the time of a level.
type sample struct {
	seats, limit float64 // means
	usage        usage
	wholeSeconds float64
}

// change changes the seats in use and the waiting requests of a level.
func (l *levelFigures) change(now time.Duration, seats, waiting int) {
	l.advance(now)
	l.seats += seats
	l.waiting += waiting
	for _, u := range []*usage{&l.whole, &l.part} {
		u.mostSeats, u.mostWaiting = max(u.mostSeats, l.seats), max(u.mostWaiting, l.waiting)
	}
}

// advance integrates up to now.
func (l *levelFigures) advance(now time.Duration) {
	d := (now - l.since).Seconds()
	if d <= 0 {
		return
	}
	l.since = now
	used := float64(l.seats) * d
	borrowed := 0.0
	if l.config.Discipline != queueset.Exempt && l.seats > l.nominal {
		borrowed = float64(l.seats-l.nominal) * d
	}
	for _, u := range []*usage{&l.whole, &l.part} {
		u.seatSeconds += used
		u.borrowedSeconds += borrowed
	}
}

func (l *levelFigures) waited(d time.Duration) {
	l.whole.longestWait, l.part.longestWait = max(l.whole.longestWait, d), max(l.part.longestWait, d)
}

// sample ends a sample of this number of seconds.
func (l *levelFigures) sample(now time.Duration, seconds float64) {
	l.advance(now)
	limit := float64(l.current)
	l.limit.add(limit)
	if l.config.Discipline != queueset.Exempt {
		l.lent.add(max(0, float64(l.nominal)-limit))
	}
	l.samples = append(l.samples, sample{seats: l.part.seatSeconds / seconds, limit: limit, usage: l.part, wholeSeconds: seconds})
	l.part = usage{mostSeats: l.seats, mostWaiting: l.waiting}
}

// merge makes one sample of each two.
func (l *levelFigures) merge() {
	merged := l.samples[:0]
	for i := 0; i+1 < len(l.samples); i += 2 {
		a, b := l.samples[i], l.samples[i+1]
		merged = append(merged, sample{
			seats: (a.seats + b.seats) / 2, limit: (a.limit + b.limit) / 2, wholeSeconds: a.wholeSeconds + b.wholeSeconds,
			usage: usage{
				seatSeconds:     a.usage.seatSeconds + b.usage.seatSeconds,
				borrowedSeconds: a.usage.borrowedSeconds + b.usage.borrowedSeconds,
				mostSeats:       max(a.usage.mostSeats, b.usage.mostSeats),
				mostWaiting:     max(a.usage.mostWaiting, b.usage.mostWaiting),
				longestWait:     max(a.usage.longestWait, b.usage.longestWait),
				rejected:        a.usage.rejected + b.usage.rejected,
			},
		})
	}
	l.samples = merged
}
