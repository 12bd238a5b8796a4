package storage

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/runtime"
)

// sharedRead is one read of etcd, for the lists that joined it.
type sharedRead struct {
	// before is the done of the identical read that executed when this one was made, nil if
	// none did.
	before <-chan struct{}
	// started is closed when the read starts; done when list and err are set; hopeless if
	// the read does not start, because no member has a chance of seats.
	started, done, hopeless chan struct{}
	list                    runtime.Object // nil if nobody shares it
	err                     error

	// The lock of guarded guards what follows.
	members int
	asking  int                // members that may still get seats
	cancel  context.CancelFunc // of the read, once it has started
}

// slot has the reads of one identity.
type slot struct {
	executing *sharedRead // nil without one
	pending   *sharedRead // the read that the next list joins, nil without one
}

// errPanicked is the result of a read that did not return.
var errPanicked = errors.New("the read of this list panicked")

// join makes the caller a member of the read that has not started. The caller must leave it
// once.
func (g *guarded) join(id identity) *sharedRead {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.slots[id]
	if s == nil {
		s = &slot{}
		g.slots[id] = s
	}
	if s.pending == nil {
		s.pending = &sharedRead{started: make(chan struct{}), done: make(chan struct{}), hopeless: make(chan struct{}), err: errPanicked}
		if s.executing != nil {
			s.pending.before = s.executing.done
		}
	}
	s.pending.members++
	s.pending.asking++
	return s.pending
}

// giveUp notes that a member asks for seats no longer. If it was the last one, and the read has
// not started, it never does.
func (g *guarded) giveUp(id identity, r *sharedRead) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.asking--
	if s := g.slots[id]; r.asking == 0 && s != nil && s.pending == r {
		close(r.hopeless)
		s.pending = nil
		g.forget(id, s)
	}
}

// leave ends a membership. Without members the read is cancelled.
func (g *guarded) leave(r *sharedRead) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.members--
	if r.members == 0 && r.cancel != nil {
		r.cancel()
	}
}

// start makes the caller execute the read, and reports whether it may: nobody else does, nor
// have all given up. It returns how many lists share the result.
func (g *guarded) start(id identity, r *sharedRead, cancel context.CancelFunc) (members int, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.slots[id]
	if s == nil || s.pending != r {
		return 0, false
	}
	r.cancel = cancel
	close(r.started)
	s.pending, s.executing = nil, r
	return r.members, true
}

// finish gives the members their result.
func (g *guarded) finish(id identity, r *sharedRead) {
	g.mu.Lock()
	defer g.mu.Unlock()
	close(r.done)
	s := g.slots[id]
	s.executing = nil
	g.forget(id, s)
}

// forget drops a slot that has no reads.
func (g *guarded) forget(id identity, s *slot) {
	if s.pending == nil && s.executing == nil {
		delete(g.slots, id)
	}
}
