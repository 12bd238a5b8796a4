package simulate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// figures count what became of requests. What follows from the waits is set by result.
type figures struct {
	Figures
	waits histogram // of those dispatched
}

func (f *figures) reject(reason string) {
	if f.RejectedBy == nil {
		f.RejectedBy = map[string]uint64{}
	}
	f.RejectedBy[reason]++
	f.Rejected++
}

// flowKey identifies a flow.
type flowKey struct{ level, schema, distinguisher string }

// levelFigures are figures of one level, and its seats over time.
type levelFigures struct {
	figures
	config               engine.LevelConfig
	configuration.Limits // of all replicas

	since                        time.Duration // up to when the courses are integrated
	seats, limit, borrowed, lent course
	waiting, mostWaiting         int
}

// course is a number of seats over time.
type course struct {
	now, least, most, seatSeconds float64
}

func (c *course) set(seats float64) {
	c.now, c.least, c.most = seats, min(c.least, seats), max(c.most, seats)
}

func (c *course) result(seconds float64) Spread {
	return Spread{Mean: c.seatSeconds / seconds, Min: c.least, Max: c.most}
}

func (l *levelFigures) courses() [4]*course {
	return [4]*course{&l.seats, &l.limit, &l.borrowed, &l.lent}
}

// change changes the seats in use and the waiting requests of a level.
func (l *levelFigures) change(now time.Duration, seats, waiting int) {
	l.advance(now)
	l.seats.set(l.seats.now + float64(seats))
	l.waiting += waiting
	l.mostWaiting = max(l.mostWaiting, l.waiting)
	if l.config.Discipline != queueset.Exempt {
		l.borrowed.set(max(0, l.seats.now-float64(l.Nominal)))
	}
}

// setLimit sets the current limit.
func (l *levelFigures) setLimit(current int) {
	l.limit.set(float64(current))
	if l.config.Discipline != queueset.Exempt {
		l.lent.set(max(0, float64(l.Nominal-current)))
	}
}

// advance integrates up to now.
func (l *levelFigures) advance(now time.Duration) {
	seconds := (now - l.since).Seconds()
	if seconds <= 0 {
		return
	}
	l.since = now
	for _, c := range l.courses() {
		c.seatSeconds += c.now * seconds
	}
}
