package judges

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

const (
	// watched is how long a server is watched after an attack.
	watched = 30 * time.Second
	// window is the time over which the processor time of a server is measured.
	window = 500 * time.Millisecond
	// idle is the share of a processor that a server at rest uses at most, with the test
	// that asks it.
	idle = 0.25
	// kept is how long what an attack held may stay: golang.org/x/net/http2 keeps a closed
	// connection, and the requests that wait in it for a handler, until its idle timeout of
	// 90 s, because it closes the last stream after it has stopped the timer.
	kept = 100 * time.Second
	// idleGoroutines is how many more goroutines a server may have at rest than before: for the
	// connections that clients of the test still hold.
	idleGoroutines = 100
)

// errNoRest is the error of a server that is not at rest at the end of the watch.
var errNoRest = errors.New("not at rest")

// Rest is what a server uses when nobody asks it for anything.
type Rest struct {
	Goroutines float64
	// Seats are those in use in levels that are not exempt.
	Seats float64
	// Heap is what is held after a forced collection, in bytes.
	Heap float64
	// Lines is the number of lines logged.
	Lines int
	// Failures is the number of requests counted as answered with 500 or more: clients that leave
	// see no answer.
	Failures float64
}

// rest reads what is in use now, after a forced collection.
func (s *Server) rest(ctx context.Context) (Rest, error) {
	if _, err := s.fetch(ctx, "/debug/pprof/heap?gc=1"); err != nil {
		return Rest{}, err
	}
	values, err := s.metrics(ctx)
	const seats = "apiserver_flowcontrol_current_executing_seats"
	return Rest{
		Goroutines: values.Sum("go_goroutines"),
		Seats:      values.Sum(seats) - values.Sum(seats, `priority_level="exempt"`),
		Heap:       values.Sum("go_memstats_heap_alloc_bytes"),
		Lines:      strings.Count(s.Process.Output(), "\n"),
		Failures:   values.Sum("apiserver_request_total", `code="5`),
	}, err
}

// awaitRest waits until a server works no more and has no more goroutines and seats in use
// than before. It returns how long that took, and the processor time that the server used.
func (s *Server) awaitRest(ctx context.Context, before Rest) (took, worked time.Duration, after Rest, err error) {
	begin := time.Now()
	for {
		at := time.Since(begin)
		used, share, err := s.used(ctx)
		if err != nil {
			return 0, 0, after, err
		}
		if share <= idle {
			after, err = s.rest(ctx)
			if err != nil {
				return 0, 0, after, err
			}
			if after.Goroutines <= before.Goroutines+idleGoroutines && after.Seats <= 0 {
				return at, worked, after, nil
			}
		}
		worked += used
		if at > watched {
			return at, worked, after, fmt.Errorf("%w %v after the attack: it uses %.0f %% of a processor, %.0f goroutines, %.0f before, %.0f seats",
				errNoRest, at, 100*share, after.Goroutines, before.Goroutines, after.Seats)
		}
	}
}

// awaitFree waits until a server holds at most bound bytes more than before the attack. It
// returns what is held then, and how long more was.
func (s *Server) awaitFree(ctx context.Context, f *Figures, bound int64) (heap float64, took time.Duration, err error) {
	heap = f.After.Heap
	begin := time.Now()
	for heap > f.Before.Heap+float64(bound) && took < kept {
		traffic.Pause(ctx, 5*time.Second)
		now, err := s.rest(ctx)
		if err != nil {
			return 0, took, err
		}
		heap, took = now.Heap, time.Since(begin)
	}
	return heap, took, nil
}

// used returns the processor time that a server uses within a window, and its share of a processor.
func (s *Server) used(ctx context.Context) (time.Duration, float64, error) {
	before, err := measurement.ProcessorTime(s.Process.PID())
	if err != nil {
		return 0, 0, err
	}
	begin := time.Now()
	traffic.Pause(ctx, window)
	after, err := measurement.ProcessorTime(s.Process.PID())
	return after - before, (after - before).Seconds() / time.Since(begin).Seconds(), err
}
