package search

import (
	"math"
	"slices"
	"time"
)

// stopping is the discipline of package queueset as it was when the search began, without what does not
// matter to its fault: the virtual clock stops while requests wait, so a newcomer always begins before
// them.
var stopping = Discipline{Name: "stopping", New: func(host Host, c Config) Level {
	return &stopper{host: host, config: c, seats: float64(c.Seats), byName: map[string]*stopped{}}
}}

// guess is how long a request is taken to last until it has ended.
const guess = 3 * time.Millisecond

// mostFlows is from how many flows on the debts of inactive flows are forgotten.
const mostFlows = 200

// stopper is a Level.
type stopper struct {
	host    Host
	config  Config
	seats   float64
	inUse   float64
	now     time.Duration
	clock   float64 // seat-seconds that each flow was given since the beginning
	waiting int
	flows   []*stopped
	byName  map[string]*stopped
}

var _ Level = (*stopper)(nil)

// stopped is a flow.
type stopped struct {
	name  string
	start float64 // of its next request, by the clock
	line  []*Request
	inUse float64
}

// sync advances the clock, at most to the end of the first request, and charges what executes.
func (l *stopper) sync() {
	d := (l.host.Now() - l.now).Seconds()
	l.now = l.host.Now()
	if d <= 0 || len(l.flows) == 0 {
		return
	}
	next := l.clock + d*min(l.seats, l.inUse)/float64(len(l.flows))
	for _, f := range l.flows {
		f.start += f.inUse * d
		if len(f.line) > 0 {
			next = min(next, f.start+float64(f.line[0].Width-1)*guess.Seconds())
		}
	}
	l.flows = slices.DeleteFunc(l.flows, func(f *stopped) bool {
		gone := f.inUse == 0 && len(f.line) == 0 && (f.start <= l.clock || len(l.flows) > mostFlows)
		if gone {
			delete(l.byName, f.name)
		}
		return gone
	})
	l.clock = max(l.clock, next)
}

// Arrive implements Level.
func (l *stopper) Arrive(r *Request) {
	l.sync()
	f := l.byName[r.Flow]
	if f == nil {
		f = &stopped{name: r.Flow}
		l.byName[r.Flow] = f
		l.flows = append(l.flows, f)
	}
	if l.waiting >= l.config.Waiting() || len(f.line) >= l.config.FlowWaiting() {
		l.host.Reject(r, 0)
		return
	}
	if len(f.line) == 0 {
		f.start = max(f.start, l.clock)
	}
	r.State = f
	f.line = append(f.line, r)
	l.waiting++
	l.dispatch()
}

// Leave implements Level.
func (l *stopper) Leave(r *Request) {
	l.sync()
	l.remove(r)
	l.dispatch()
}

func (l *stopper) remove(r *Request) {
	f := r.State.(*stopped)
	i := slices.Index(f.line, r)
	f.line = slices.Delete(f.line, i, i+1)
	l.waiting--
}

// Finish implements Level.
func (l *stopper) Finish(r *Request) {
	l.sync()
	r.State.(*stopped).inUse -= float64(r.Width)
	l.inUse -= float64(r.Width)
	l.dispatch()
}

// SetSeats implements Level.
func (l *stopper) SetSeats(n int) {
	l.sync()
	l.seats = float64(n)
	l.dispatch()
}

func (l *stopper) dispatch() {
	for l.waiting > 0 && l.seats > 0 {
		var first *stopped
		least := math.Inf(1)
		for _, f := range l.flows {
			if len(f.line) == 0 {
				continue
			}
			end := f.start + float64(f.line[0].Width)*guess.Seconds()
			if end < least || end == least && f.line[0].Arrived < first.line[0].Arrived {
				first, least = f, end
			}
		}
		r := first.line[0]
		if width := float64(r.Width); l.inUse > 0 && l.inUse+width > l.seats {
			return
		}
		l.remove(r)
		first.inUse += float64(r.Width)
		first.start += float64(r.Width) * guess.Seconds()
		l.inUse += float64(r.Width)
		l.host.Start(r)
	}
}
