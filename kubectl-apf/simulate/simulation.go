package simulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/longrunning"
)

const (
	// maxWait is how long a request waits at most.
	maxWait = 15 * time.Second
	// watchContext is how many events and requests a simulation handles before it checks its
	// context and reports its progress.
	watchContext = 1 << 14
	// restAfter is for how many periods the seats are still divided again while no request arrives or ends:
	// by then the demand of before has decayed to 2 %. Traces have silent nights.
	restAfter = 180
	// settling is how much of the beginning of the trace is played to settle the limits.
	settling = 3 * allocation.Period
)

// simulation is a run of one configuration.
type simulation struct {
	options   Options
	candidate Candidate
	header    trace.Header
	line      *timeline
	replicas  []flowControl
	placement *placement
	estimator estimator
	services  *serviceTimes
	collector *collector
	closed    *closedLoop // nil in an open loop
	free      []*call
	inFlight  int // requests that wait or execute
	read      int64
	notSent   int64
	// ungoverned is the number of requests that flow control does not govern.
	ungoverned int64
	steps      int
	quiet      int // periods since a request last arrived or ended
	resting    bool
	then       Recorded
}

// simulate runs one configuration.
func (o Options) simulate(ctx context.Context, baseline, candidate Candidate) (*simulation, error) {
	if candidate.Without != nil {
		o.Open = candidate.Without.Open
	}
	s := &simulation{options: o, candidate: candidate, line: &timeline{}, services: newServiceTimes()}
	known, err := s.learn()
	if err == nil {
		err = s.createReplicas()
	}
	if err == nil && !o.AfterRestart {
		err = s.settle(ctx, baseline, min(known, settling))
	}
	if err != nil {
		return nil, err
	}
	s.begin(baseline)
	if o.Loop == Closed {
		s.closed = newClosedLoop(s)
	}
	s.line.after(allocation.Period, s.rebalanceAgain)
	if err := s.play(ctx, math.MaxInt64); err != nil {
		return nil, err
	}
	return s, s.drain(ctx)
}

// learn looks at the beginning of the trace, and returns how long that is.
func (s *simulation) learn() (known time.Duration, err error) {
	source, err := s.options.Open()
	if err != nil {
		return 0, err
	}
	defer func() { _ = source.Close() }() // it was only read
	s.header = source.Header()
	var r trace.Request
	for range learned {
		if err = source.Read(&r); err != nil {
			break
		}
		if s.line.origin.IsZero() {
			s.line.origin = r.Arrival
		}
		known = r.Arrival.Sub(s.line.origin)
		s.services.learn(&r)
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return known, err
}

func (s *simulation) createReplicas() error {
	for range cmp.Or(s.options.Replicas, min(max(1, len(s.header.Replicas)), maxReplicas)) {
		replica, err := newReplica(s.options.Engine, s.line, s.candidate.Configuration)
		if err != nil {
			return err
		}
		s.replicas = append(s.replicas, replica)
	}
	return nil
}

// begin begins the figures now.
func (s *simulation) begin(baseline Candidate) {
	s.collector = &collector{levels: map[string]*levelFigures{}, schemas: map[flowKey]*figures{}, flows: map[flowKey]*figures{}, begun: s.line.now}
	s.collector.limit(s.line.now, s.replicas)
	s.placement = newPlacement(baseline.Configuration, s.candidate.Configuration)
	s.estimator = newEstimator(s.options.Engine, s.candidate.Configuration, s.header)
}

// settle plays the head of the trace before the trace itself, so that the levels have the limits that
// its demand gives them. The seats are divided every 10 s, the last time at the end of the head.
// Then all its requests end.
func (s *simulation) settle(ctx context.Context, baseline Candidate, head time.Duration) error {
	before := *s
	before.options.Progress, before.services = nil, &serviceTimes{kinds: s.services.kinds}
	before.begin(baseline)
	for at := head; at > 0; at -= allocation.Period {
		s.line.after(at, before.rebalance)
	}
	err := before.play(ctx, head)
	if err == nil {
		err = before.advance(ctx, head)
	}
	if err == nil {
		err = before.finish(ctx)
	}
	return err
}

func (s *simulation) rebalance() {
	for _, replica := range s.replicas {
		replica.rebalance()
	}
	s.collector.limit(s.line.now, s.replicas)
}

func (s *simulation) rebalanceAgain() {
	s.rebalance()
	if s.quiet++; s.quiet > restAfter {
		s.resting = true
		return
	}
	s.line.after(allocation.Period, s.rebalanceAgain)
}

// stir notes that a request arrives or ends.
func (s *simulation) stir() {
	s.quiet = 0
	if s.resting {
		s.resting = false
		s.line.after(allocation.Period, s.rebalanceAgain)
	}
}

// play simulates the requests of the trace that arrive up to a time after its first one.
func (s *simulation) play(ctx context.Context, until time.Duration) error {
	source, err := s.options.Open()
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }() // it was only read
	feed := newFeed(ctx, source)
	defer feed.close()
	for {
		r, err := feed.read()
		if err != nil {
			return err
		}
		if r == nil || r.Arrival.Sub(s.line.origin) > until {
			return ctx.Err()
		}
		at := s.collector.begun + r.Arrival.Sub(s.line.origin)
		ahead := time.Duration(0)
		if s.closed != nil {
			ahead = lookahead
		}
		if err := s.advance(ctx, at-ahead); err != nil {
			return err
		}
		s.read++
		if a := r.Attributes(); longrunning.Is(&a) && r.PriorityLevel == "" {
			s.ungoverned++
			continue
		}
		s.then.add(r)
		if !s.placement.known(r) {
			continue
		}
		if s.closed != nil {
			s.closed.plan(r, at)
			continue
		}
		s.send(r, s.services.of(r), nil)
	}
}

// drain ends what is in flight after the last request of the trace.
func (s *simulation) drain(ctx context.Context) error {
	if s.closed != nil {
		if err := s.advance(ctx, s.closed.last); err != nil {
			return err
		}
		s.notSent = s.closed.stop()
	}
	if err := s.finish(ctx); err != nil {
		return err
	}
	if left := s.placement.left(); left+s.ungoverned == s.read {
		return fmt.Errorf("%s: no request can be simulated: %s", s.candidate.Name, strings.Join(s.placement.notes(s.read), " "))
	}
	if s.services.known() == 0 {
		return fmt.Errorf("%s: no request of the trace has a duration of execution, so how long they hold seats is unknown", s.candidate.Name)
	}
	return nil
}

// finish waits for all requests in flight.
func (s *simulation) finish(ctx context.Context) error {
	for s.inFlight > 0 {
		at, ok := s.line.next()
		if !ok {
			break
		}
		if err := s.advance(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

// advance handles the events up to a time.
func (s *simulation) advance(ctx context.Context, to time.Duration) error {
	for at, ok := s.line.next(); ok && at <= to; at, ok = s.line.next() {
		s.line.step()
		if err := s.goOn(ctx); err != nil {
			return err
		}
	}
	s.line.now = max(s.line.now, to)
	return s.goOn(ctx)
}

// goOn tells the progress, and returns an error if the context has ended, now and then.
func (s *simulation) goOn(ctx context.Context) error {
	if s.steps++; s.steps%watchContext != 0 {
		return nil
	}
	if s.options.Progress != nil {
		s.options.Progress(Progress{Name: s.candidate.Name, Requests: s.read, Of: s.header.Requests, Simulated: s.line.now})
	}
	return ctx.Err()
}

// send sends a request that executes for as long as service.
func (s *simulation) send(r *trace.Request, service time.Duration, p *plan) {
	s.stir()
	c := s.newCall()
	of := &c.progress
	of.replica, of.plan, of.service, of.arrived = s.replicaOf(r), p, service, s.line.now
	c.classified = of.replica.begin()
	s.placement.classify(r, c.classified)
	c.work = s.estimator.work(r, c.classified.MaxWidth())
	of.counted = s.collector.of(c.classified.Level().Name, c.classified.Schema().Name, c.classified.Flow)
	for _, f := range of.counted.all() {
		f.Requests++
		if p != nil && p.attempts > 1 {
			f.Retries++
		}
	}
	s.inFlight++
	switch outcome, reason := of.replica.arrive(c); outcome {
	case queueset.Seated:
		c.execute()
	case queueset.Waiting:
		of.counted.level.change(s.line.now, 0, 1)
		of.timeout.Reset(maxWait)
	default:
		c.rejected(reason)
	}
}

// replicaOf returns the replica that serves a request: the trace's if it has as many, otherwise one
// by client, since clients keep their connections.
func (s *simulation) replicaOf(r *trace.Request) flowControl {
	if len(s.replicas) == 1 {
		return s.replicas[0]
	}
	if r.Replica != "" && len(s.replicas) == len(s.header.Replicas) {
		if i, ok := slices.BinarySearch(s.header.Replicas, r.Replica); ok {
			return s.replicas[i]
		}
	}
	h := fnv.New64a()
	for _, text := range []string{r.User, r.Client} {
		_, _ = io.WriteString(h, text+"\x00")
	}
	return s.replicas[h.Sum64()%uint64(len(s.replicas))]
}
