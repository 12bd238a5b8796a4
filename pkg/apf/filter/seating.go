package filter

import (
	"context"
	"errors"
	"net/http"
	"time"

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
	// storageWork estimates the list as a read from etcd.
	storageWork func(maxWidth int) seats.Work
	// reject returns the error for the client of a request that got no seats.
	reject func(*engine.Request) error
	limit  time.Duration // of a wait without a deadline
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

// FromStorage reports whether the list was estimated as a read from etcd.
func (s *Seating) FromStorage() bool { return s != nil && s.source == estimate.FromStorage }

// Vacate gives the seats back. The caller must call done once it has done what it exchanges
// seats for; until then no other Vacate of the request returns.
func (s *Seating) Vacate() (done func()) {
	if s == nil {
		return func() {}
	}
	s.busy <- struct{}{}
	s.free()
	return s.unlock
}

func (s *Seating) unlock() { <-s.busy }

// Return gives back what AskForStorage got.
func (s *Seating) Return() {
	if s != nil {
		s.free()
	}
}

// free gives the seats back, if there are any.
func (s *Seating) free() {
	if s.seated {
		s.executed += s.apf.Finish()
		s.seated = false
	}
}

// AskForStorage asks for the seats of a read from etcd, and waits for them until ctx ends, for
// a quarter of the time to its deadline at the most, or until they are unneeded. It reports
// whether the request has them. The error says why it was rejected, for the client.
func (s *Seating) AskForStorage(ctx context.Context, unneeded <-chan struct{}) (bool, error) {
	if s == nil || s.apf == nil {
		return true, nil
	}
	return s.ask(ctx, s.storageWork(s.apf.MaxWidth()), unneeded)
}

// AskAgain asks for the seats that the request had first, and waits as AskForStorage does.
func (s *Seating) AskAgain(ctx context.Context) error {
	if s == nil || s.apf == nil {
		return nil
	}
	_, err := s.ask(ctx, s.work, nil)
	return err
}

func (s *Seating) ask(ctx context.Context, work seats.Work, unneeded <-chan struct{}) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, s.patience(ctx))
	defer cancel()
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
	return false, s.reject(s.apf)
}

// patience returns how long a request may wait from now on.
func (s *Seating) patience(ctx context.Context) time.Duration {
	limit := s.limit
	if deadline, ok := ctx.Deadline(); ok {
		limit = time.Until(deadline) / 4
	}
	return min(limit, maxWait)
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
	s := &Seating{source: work.source, measured: work.measured, busy: make(chan struct{}, 1)}
	s.storageWork = func(maxWidth int) seats.Work {
		read := l.workFrom(fromStorage, r, info, maxWidth)
		if s.measured != nil && read.measured != nil {
			s.measured.reads(read.measured)
		}
		return read.Work
	}
	return s
}
