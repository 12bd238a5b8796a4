package simulate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// ClientLimit is the limit of a client (QPS and Burst), by the waits that its log tells.
type ClientLimit struct {
	// User is the user of the client in the trace.
	User  string
	waits []limitWait
}

// limitWait is a wait for the limit, which ended at a time.
type limitWait struct {
	at    time.Time
	delay time.Duration
}

const (
	// calm is the time without a line after which a client no longer waits for its limit: it writes a line for each
	// second of it at most, and in the first releases one in ten.
	calm = 10 * time.Second
	// maxFreed bounds the requests of a client that are sent at other times.
	maxFreed = 1 << 20
)

// Add adds a wait that a line of the client's log tells.
func (c *ClientLimit) Add(at time.Time, delay time.Duration) {
	if !at.IsZero() && delay > 0 {
		c.waits = append(c.waits, limitWait{at, delay})
	}
}

// LimitEffect is what a client would do without its limit, and what that costs others.
type LimitEffect struct {
	User string `json:"user"`
	// Waits is the number of waits that the log of the client tells, and Seconds how long it waited repeatedly.
	Waits   int     `json:"waits"`
	Seconds float64 `json:"seconds"`
	// Requests were sent meanwhile, by about Workers at a time, each for LatencySeconds.
	Requests       int     `json:"requests"`
	Workers        int     `json:"workers"`
	LatencySeconds float64 `json:"latencySeconds"`
	// Before and After are the rates of requests a second, with the limit and without it. The workers bound the
	// second one, and the seats of the levels.
	Before float64 `json:"requestsPerSecondBefore"`
	After  float64 `json:"requestsPerSecondAfter"`
	// Levels are the priority levels of its requests.
	Levels []LimitedLevel `json:"priorityLevels"`
}

// LimitedLevel is what becomes of a priority level without the limit of a client.
type LimitedLevel struct {
	Name string `json:"name"`
	// Limit is the mean current limit of all replicas, SeatsBefore and SeatsAfter the most seats in use.
	Limit       float64 `json:"limit"`
	SeatsBefore float64 `json:"seatsBefore"`
	SeatsAfter  float64 `json:"seatsAfter"`
	// Own and Others are the flows of the client, and all other flows of the level.
	OwnBefore    Figures `json:"ownBefore"`
	OwnAfter     Figures `json:"ownAfter"`
	OthersBefore Figures `json:"othersBefore"`
	OthersAfter  Figures `json:"othersAfter"`
}

// episode is a time when a client waited for its limit.
type episode struct {
	from, until time.Time
	delay       time.Duration // the mean wait
	waits       int
	requests    []trace.Request
	took        time.Duration // the sum of their latencies
}

// WithoutLimit is a trace without the limit of a client. While the client waited for its limit, its workers wait for
// nothing but their answers:
//
//	workers = rate · (wait + latency), by Little's law
//	rate without the limit = workers / latency
type WithoutLimit struct {
	Effect   LimitEffect
	open     func() (Source, error)
	user     string
	episodes []*episode
	freed    []trace.Request // at their new times
}

// Without returns the trace without the limit. It is an error if the trace has no request of the client while it
// waited.
func (c *ClientLimit) Without(open func() (Source, error)) (*WithoutLimit, error) {
	w := &WithoutLimit{open: open, user: c.User, episodes: c.episodes()}
	if len(w.episodes) == 0 {
		return nil, fmt.Errorf("the log of %s has no wait for its own limit, or not its time", c.User)
	}
	source, err := open()
	if err != nil {
		return nil, err
	}
	defer func() { _ = source.Close() }() // it was only read
	n := 0
	for {
		var r trace.Request
		if err := source.Read(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		if e := w.of(&r); e != nil {
			if n++; n > maxFreed {
				return nil, fmt.Errorf("%s sent more than %d requests while it waited for its limit: give a part of the trace", c.User, maxFreed)
			}
			took, _ := recorded(&r)
			if r.Wait != nil {
				took += r.Wait.Duration
			}
			e.requests, e.took = append(e.requests, r), e.took+took
		}
	}
	w.free()
	if len(w.freed) == 0 {
		return nil, fmt.Errorf("the trace has no request of %s while it waited for its limit: must be of the same time and user as the log", c.User)
	}
	return w, nil
}

// episodes returns the times when the client waited.
func (c *ClientLimit) episodes() (all []*episode) {
	slices.SortFunc(c.waits, func(a, b limitWait) int { return a.at.Compare(b.at) })
	for _, wait := range c.waits {
		begun := wait.at.Add(-wait.delay)
		if len(all) == 0 || begun.Sub(all[len(all)-1].until) > calm {
			all = append(all, &episode{from: begun})
		}
		e := all[len(all)-1]
		e.until, e.delay, e.waits = wait.at, e.delay+wait.delay, e.waits+1
	}
	for _, e := range all {
		e.delay /= time.Duration(e.waits)
	}
	return all
}

// of returns the episode of a request; nil if it is of another client or time.
func (w *WithoutLimit) of(r *trace.Request) *episode {
	if r.User != w.user || r.Verb == "watch" {
		return nil
	}
	at, _ := slices.BinarySearchFunc(w.episodes, r.Arrival, func(e *episode, at time.Time) int { return e.until.Compare(at) })
	if at == len(w.episodes) || r.Arrival.Before(w.episodes[at].from) {
		return nil
	}
	return w.episodes[at]
}

// free gives the requests of the episodes their new times.
func (w *WithoutLimit) free() {
	e := &w.Effect
	e.User = w.user
	var took, workers float64
	for _, one := range w.episodes {
		e.Waits += one.waits
		n := float64(len(one.requests))
		if n == 0 {
			continue
		}
		seconds, latency := max(one.until.Sub(one.from).Seconds(), 1e-3), max(one.took.Seconds()/n, 1e-4)
		crew := max(1, float64(int(n/seconds*(one.delay.Seconds()+latency)+0.5)))
		e.Seconds, e.Requests, took, workers = e.Seconds+seconds, e.Requests+len(one.requests), took+one.took.Seconds(), max(workers, crew)
		for i := range one.requests {
			r := one.requests[i]
			if at := one.from.Add(time.Duration(float64(i) * latency / crew * float64(time.Second))); at.Before(r.Arrival) {
				r.Arrival = at
			}
			w.freed = append(w.freed, r)
		}
	}
	slices.SortStableFunc(w.freed, func(a, b trace.Request) int { return a.Arrival.Compare(b.Arrival) })
	if e.Requests > 0 {
		e.Workers, e.LatencySeconds = int(workers), max(took/float64(e.Requests), 1e-4)
		e.Before, e.After = float64(e.Requests)/e.Seconds, workers/e.LatencySeconds
	}
}

// Open opens the trace without the limit.
func (w *WithoutLimit) Open() (Source, error) {
	source, err := w.open()
	if err != nil {
		return nil, err
	}
	return &unlimited{Source: source, without: w, rest: w.freed}, nil
}

// unlimited merges the requests at their new times with all others.
type unlimited struct {
	Source
	without *WithoutLimit
	rest    []trace.Request
	next    *trace.Request
	err     error
}

// Read implements Source.
func (u *unlimited) Read(into *trace.Request) error {
	for u.next == nil && u.err == nil {
		var r trace.Request
		if u.err = u.Source.Read(&r); u.err == nil && u.without.of(&r) == nil {
			u.next = &r
		}
	}
	if len(u.rest) > 0 && (u.next == nil && errors.Is(u.err, io.EOF) || u.next != nil && !u.next.Arrival.Before(u.rest[0].Arrival)) {
		*into, u.rest = u.rest[0], u.rest[1:]
		return nil
	}
	if u.next == nil {
		return u.err
	}
	*into, u.next = *u.next, nil
	return nil
}

// effect returns what the limit of a client spares, by a simulation with it and one without.
func (e LimitEffect) effect(before, after *simulation) *LimitEffect {
	for _, name := range before.levelsOf(e.User) {
		l := LimitedLevel{Name: name}
		for _, side := range []struct {
			of          *simulation
			own, others *Figures
			seats       *float64
		}{{before, &l.OwnBefore, &l.OthersBefore, &l.SeatsBefore}, {after, &l.OwnAfter, &l.OthersAfter, &l.SeatsAfter}} {
			*side.own, *side.others = side.of.figuresOf(name, e.User)
			if of := side.of.collector.levels[name]; of != nil {
				*side.seats = of.seats.most
				l.Limit = cmp.Or(l.Limit, of.limit.seatSeconds/max((side.of.line.now-side.of.collector.begun).Seconds(), 1e-9))
			}
		}
		e.Levels = append(e.Levels, l)
	}
	e.After = min(e.After, e.served(after))
	return &e
}

// served returns the rate that the seats of the levels allow, if each has its part of the requests.
func (e *LimitEffect) served(by *simulation) float64 {
	rate, all := math.Inf(1), uint64(0)
	for i := range e.Levels {
		all += e.Levels[i].OwnAfter.Requests
	}
	for i := range e.Levels {
		own, of := &e.Levels[i].OwnAfter, by.collector.levels[e.Levels[i].Name]
		if of != nil && of.config.Discipline != queueset.Exempt && own.SeatSeconds > 0 {
			wanted := own.SeatSeconds * float64(own.Requests) / float64(own.Dispatched)
			rate = min(rate, of.limit.most*float64(all)/wanted)
		}
	}
	return rate
}

// levelsOf returns the levels of the flows of a user, by name.
func (s *simulation) levelsOf(user string) (names []string) {
	for key := range s.collector.flows {
		if key.distinguisher == user && !slices.Contains(names, key.level) {
			names = append(names, key.level)
		}
	}
	slices.Sort(names)
	return names
}

// figuresOf returns the figures of the flows of a user on a level, and of all others.
func (s *simulation) figuresOf(level, user string) (own, others Figures) {
	var of, rest figures
	for key, f := range s.collector.flows {
		switch {
		case key.level != level:
		case key.distinguisher == user:
			of.join(f)
		default:
			rest.join(f)
		}
	}
	return of.result(), rest.result()
}

// Payer is who pays if a client has no limit.
type Payer string

// The payers.
const (
	Nobody    Payer = "nobody"
	ItsOwn    Payer = "the client itself"
	OthersToo Payer = "others of its level"
)

// Payer returns who waits longer or is rejected more often without the limit.
func (l *LimitedLevel) Payer() Payer {
	pays := func(before, after *Figures) bool {
		least := max(leastWait, relativeWait*max(before.Wait.P99, after.Wait.P99))
		return after.Wait.P99-before.Wait.P99 >= least || after.rejectedPart()-before.rejectedPart() >= leastRejected
	}
	switch {
	case pays(&l.OthersBefore, &l.OthersAfter):
		return OthersToo
	case pays(&l.OwnBefore, &l.OwnAfter):
		return ItsOwn
	default:
		return Nobody
	}
}
