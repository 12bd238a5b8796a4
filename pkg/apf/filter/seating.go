package filter

import (
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// Seating is the seats of a list that executes. The storage exchanges them when it is about
// to read from etcd what was estimated as a read from the watch cache: see package storage.
//
// Seats are given back before others are asked for, so a request never waits for seats, or
// for another request, while it holds some. The methods of a nil *Seating do nothing: that is
// the Seating of a request without flow control.
type Seating struct {
	source estimate.Source
	named  bool // a field selector names one object
	// storageWork estimates the list as a read from etcd.
	storageWork func(maxWidth int, resource schema.GroupResource, recursive bool) listWork
	// reject returns the error for the client of a request that got no seats. It is called
	// without busy, since it asks the server whom it may tell why.
	reject     func(*NoSeatsError) error
	limit      time.Duration // of a wait without a deadline
	lists      *lists
	unmeasured *unmeasuredList // of the request
	// measured is the list that is measured, nil if none is.
	measured *measuredList

	// busy has a value while the storage exchanges seats and reads, since a request may read
	// twice at once; and at the end of the execution. It guards what follows. Unlike a
	// sync.Mutex it may be waited for in virtual time.
	busy     chan struct{}
	apf      *engine.Request // nil before and after the execution
	work     seats.Work      // of its first seats
	seated   bool
	executed time.Duration // with seats that were given back
	other    *measuredList // what measured is not: a read from etcd, or from the cache; nil at first
}

// SeatingOf returns the Seating of the request of ctx, or nil.
func SeatingOf(ctx context.Context) *Seating {
	if e, ok := ctx.Value(exchangeKey{}).(*exchange); ok {
		return e.seating
	}
	return nil
}

// FromStorage reports whether the list was estimated as a read from etcd. One that names an
// object was estimated as a read of one object. It may be recursive nevertheless, if it names
// no namespace. Then it was not estimated as what it reads.
func (s *Seating) FromStorage(recursive bool) bool {
	return s != nil && s.source == estimate.FromStorage && (!s.named || !recursive)
}

// NoSeatsError is the error of a list that got no seats. ErrorOf says it to the client.
type NoSeatsError struct {
	Reason     queueset.Reason
	RetryAfter time.Duration // see queueset.Request
}

// Error implements error.
func (e *NoSeatsError) Error() string { return "the list got no seats: " + e.Reason.String() }

// ErrorOf returns what the client is told for an error: that the list got no seats, or else the
// error itself. The caller has called done, if Vacate returned it.
func (s *Seating) ErrorOf(err error) error {
	var none *NoSeatsError
	if s != nil && errors.As(err, &none) {
		return s.reject(none)
	}
	return err
}

// Vacate gives the seats back. The caller must call done once it has done what it exchanges
// seats for; until then no other Vacate of the request returns. The error, a NoSeatsError, says
// that too many lists of the flow are at that: see MaxVacant.
func (s *Seating) Vacate() (done func(), err error) {
	if s == nil {
		return func() {}, nil
	}
	s.busy <- struct{}{}
	occupy, err := s.vacate()
	if err != nil {
		s.unlock()
		return nil, err
	}
	s.free()
	return func() { occupy(); s.unlock() }, nil
}

// vacate counts the request as one of its flow that exchanges seats, until occupy.
func (s *Seating) vacate() (occupy func(), err error) {
	if s.apf == nil || s.apf.Exempt() {
		return func() {}, nil
	}
	flow := flowOf(s.apf)
	if !s.lists.vacant.add(flow, mostOf(s.apf)) {
		return nil, &NoSeatsError{Reason: queueset.QueueFull}
	}
	return func() { s.lists.vacant.remove(flow) }, nil
}

func (s *Seating) unlock() { <-s.busy }

// Return gives back what AskForStorage got, since the request does not read.
func (s *Seating) Return() {
	if s != nil {
		s.free()
		s.lists.settle(s.unmeasured)
		s.exchangeMeasure()
	}
}

// exchangeMeasure makes the list one that is measured as a read from etcd, or no longer.
func (s *Seating) exchangeMeasure() {
	if s.measured != nil && s.other != nil {
		s.measured.exchange(s.other)
	}
}

// free gives the seats back, if there are any.
func (s *Seating) free() {
	if s.seated {
		s.executed += s.apf.Finish()
		s.seated = false
	}
}

// Patience returns a context for a wait for seats that begins now: it ends with ctx, or after a
// quarter of the time to the deadline of ctx.
func (s *Seating) Patience(ctx context.Context) (context.Context, context.CancelFunc) {
	if s == nil {
		return context.WithCancel(ctx)
	}
	limit := s.limit
	deadline, ok := ctx.Deadline() // zero without one
	if ok {
		limit = time.Until(deadline) / 4
	}
	if s.apf != nil {
		s.apf.Leaves = func(context.Context) time.Time { return deadline }
	}
	return context.WithTimeout(ctx, min(limit, maxWait))
}

// AskForStorage asks for the seats of a read of the resource from etcd, and waits for them until
// patience ends, or until they are unneeded. recursive says that it reads all objects below a
// key. It reports whether the request has them. The error says why it was rejected: a NoSeatsError,
// unless the client left.
func (s *Seating) AskForStorage(patience context.Context, resource schema.GroupResource, recursive bool, unneeded <-chan struct{}) (bool, error) {
	if s == nil || s.apf == nil {
		return true, nil
	}
	work := s.storageWork(s.apf.MaxWidth(), resource, recursive)
	if !s.apf.Exempt() {
		s.lists.count(s.unmeasured, &work)
	}
	seated, err := s.ask(patience, work.Work, unneeded)
	if !seated {
		s.lists.settle(s.unmeasured)
		return false, err
	}
	s.other = work.measured
	s.exchangeMeasure()
	return true, err
}

// AskAgain asks for the seats that the request had first, and waits for them until patience
// ends. Its error is as of AskForStorage.
func (s *Seating) AskAgain(patience context.Context) error {
	if s == nil || s.apf == nil {
		return nil
	}
	_, err := s.ask(patience, s.work, nil)
	return err
}

func (s *Seating) ask(ctx context.Context, work seats.Work, unneeded <-chan struct{}) (bool, error) {
	outcome := s.apf.Arrive(work)
	if outcome == queueset.Waiting {
		outcome = s.apf.Wait(ctx, unneeded)
	}
	s.seated = outcome == queueset.Seated
	if outcome != queueset.Rejected {
		return s.seated, nil
	}
	logOutcome(s.apf, false)
	if errors.Is(ctx.Err(), context.Canceled) {
		return false, ctx.Err()
	}
	return false, &NoSeatsError{s.apf.Reason(), s.apf.RetryAfter()}
}

// begin notes that the request executes with these seats.
func (s *Seating) begin(r *engine.Request, work seats.Work) {
	s.busy <- struct{}{}
	defer s.unlock()
	s.apf, s.work, s.seated = r, work, true
}

// HandOver gives the seats to a read that continues for others when the request ends. The caller has
// called Vacate and has not called done. Whoever reads calls release at the end of the read.
func (s *Seating) HandOver() (release func()) {
	if s == nil || !s.seated {
		return func() {}
	}
	r, of := s.apf, &unmeasuredList{}
	of.held.Store(s.unmeasured.held.Swap(nil))
	s.executed += r.Executed()
	s.apf, s.seated = nil, false
	return func() {
		r.Finish()
		s.lists.settle(of)
		r.End()
	}
}

// End gives the seats back, unless they were handed over, and ends the request. It returns how
// long the request executed with any.
func (s *Seating) End() time.Duration {
	s.busy <- struct{}{}
	defer s.unlock()
	s.free()
	if s.apf != nil {
		s.apf.End()
	}
	s.apf = nil
	return s.executed
}

// newSeating returns the Seating of a list, without what its filter knows.
func (l *lists) newSeating(e *exchange, info *apirequest.RequestInfo, work *listWork) *Seating {
	s := &Seating{source: work.source, named: info.Name != "", lists: l, unmeasured: &e.unmeasured, measured: work.measured, busy: make(chan struct{}, 1)}
	s.storageWork = func(maxWidth int, resource schema.GroupResource, recursive bool) listWork {
		read := *info
		read.APIGroup, read.Resource = resource.Group, resource.Resource
		if recursive {
			read.Name = ""
		}
		return l.workFrom(fromStorage, e.request, &read, maxWidth)
	}
	return s
}
