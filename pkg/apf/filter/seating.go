package filter

import (
	"context"
	"errors"
	"net/http"
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
	// reject returns the error for the client of a request that got no seats.
	reject func(*engine.Request, queueset.Reason) error
	limit  time.Duration // of a wait without a deadline
	vacant *vacant       // counts for all lists of the filter
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
	switch of := ctx.Value(seatingKey{}).(type) {
	case *Seating:
		return of
	case *chainRequest:
		return of.seating
	default:
		return nil
	}
}

// WithoutSeating returns a context for what a list reads with the seats that it has: reads below
// it exchange none.
func WithoutSeating(ctx context.Context) context.Context {
	return context.WithValue(ctx, seatingKey{}, (*Seating)(nil))
}

// FromStorage reports whether the list was estimated as a read from etcd. One that names an
// object was estimated as a read of one object. It may be recursive nevertheless, if it names
// no namespace. Then it was not estimated as what it reads.
func (s *Seating) FromStorage(recursive bool) bool {
	return s != nil && s.source == estimate.FromStorage && (!s.named || !recursive)
}

// Vacate gives the seats back. The caller must call done once it has done what it exchanges
// seats for; until then no other Vacate of the request returns. The error, for the client, says
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
	if !s.vacant.add(flow) {
		return nil, s.reject(s.apf, queueset.QueueFull)
	}
	return func() { s.vacant.remove(flow) }, nil
}

func (s *Seating) unlock() { <-s.busy }

// Return gives back what AskForStorage got, since the request does not read.
func (s *Seating) Return() {
	if s != nil {
		s.free()
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
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline) / 4
	}
	return context.WithTimeout(ctx, min(limit, maxWait))
}

// AskForStorage asks for the seats of a read of the resource from etcd, and waits for them until
// patience ends, or until they are unneeded. recursive says that it reads all objects below a
// key. It reports whether the request has them. The error says why it was rejected, for the client.
func (s *Seating) AskForStorage(patience context.Context, resource schema.GroupResource, recursive bool, unneeded <-chan struct{}) (bool, error) {
	if s == nil || s.apf == nil {
		return true, nil
	}
	work := s.storageWork(s.apf.MaxWidth(), resource, recursive)
	seated, err := s.ask(patience, work.Work, unneeded)
	if seated {
		s.other = work.measured
		s.exchangeMeasure()
	}
	return seated, err
}

// AskAgain asks for the seats that the request had first, and waits for them until patience
// ends.
func (s *Seating) AskAgain(patience context.Context) error {
	if s == nil || s.apf == nil {
		return nil
	}
	_, err := s.ask(patience, s.work, nil)
	return err
}

func (s *Seating) ask(ctx context.Context, work seats.Work, unneeded <-chan struct{}) (bool, error) {
	rejected := false
	switch s.apf.Arrive(work) {
	case queueset.Seated:
		s.seated = true
	case queueset.Waiting:
		s.seated, rejected = s.apf.WaitUnless(ctx, unneeded)
	default:
		rejected = true
	}
	if !rejected {
		return s.seated, nil
	}
	LogOutcome(s.apf, false)
	if errors.Is(ctx.Err(), context.Canceled) {
		return false, ctx.Err()
	}
	return false, s.reject(s.apf, s.apf.Reason())
}

// begin notes that the request executes with these seats.
func (s *Seating) begin(r *engine.Request, work seats.Work) {
	s.busy <- struct{}{}
	defer s.unlock()
	s.apf, s.work, s.seated = r, work, true
}

// End gives the seats back and returns how long the request executed with any.
func (s *Seating) End() time.Duration {
	s.busy <- struct{}{}
	defer s.unlock()
	s.free()
	s.apf = nil
	return s.executed
}

// seatingKey is the key in a context of the Seating of a list, or of a chainRequest.
type seatingKey struct{}

// seating returns the Seating of a list, without what its filter knows.
func (l *lists) seating(r *http.Request, info *apirequest.RequestInfo, work *listWork) *Seating {
	s := &Seating{source: work.source, named: info.Name != "", vacant: &l.vacant, measured: work.measured, busy: make(chan struct{}, 1)}
	s.storageWork = func(maxWidth int, resource schema.GroupResource, recursive bool) listWork {
		read := *info
		read.APIGroup, read.Resource = resource.Group, resource.Resource
		if recursive {
			read.Name = ""
		}
		return l.workFrom(fromStorage, r, &read, maxWidth)
	}
	return s
}
