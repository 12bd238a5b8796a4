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
	panicked                any // nil unless it did

	// The lock of guarded guards what follows.
	members int
	asking  int                // members that may still get seats
	cancel  context.CancelFunc // of the read, once it has started
	ended   bool
	release func() // gives its seats back, if the member that started it has handed them over
}

// slot has the reads of one identity.
type slot struct {
	executing *sharedRead // nil without one
	pending   *sharedRead // the read that the next list joins, nil without one
}

// errPanicked is the result of a read that did not return.
var errPanicked = errors.New("the read of this list panicked")

// join makes m a member of the read that has not started. It must leave it.
func (g *guarded) join(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.slots[m.id]
	if s == nil {
		s = &slot{}
		g.slots[m.id] = s
	}
	if s.pending == nil {
		s.pending = &sharedRead{started: make(chan struct{}), done: make(chan struct{}), hopeless: make(chan struct{}), err: errPanicked}
		if s.executing != nil {
			s.pending.before = s.executing.done
		}
	}
	s.pending.members++
	s.pending.asking++
	m.read, m.belongs, m.asks = s.pending, true, true
}

// giveUp notes that m asks for seats no longer. If it was the last one, and the read has not
// started, it never does.
func (g *guarded) giveUp(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.giveUpLocked(m)
}

func (g *guarded) giveUpLocked(m *member) {
	if !m.asks {
		return
	}
	m.asks = false
	m.read.asking--
	if s := g.slots[m.id]; m.read.asking == 0 && s != nil && s.pending == m.read {
		close(m.read.hopeless)
		s.pending = nil
		g.forget(m.id, s)
	}
}

// leave ends the membership of m. Without members the read is cancelled.
func (g *guarded) leave(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !m.belongs {
		return
	}
	g.giveUpLocked(m)
	m.belongs = false
	m.read.members--
	if m.read.members == 0 && m.read.cancel != nil {
		m.read.cancel()
	}
}

// start makes m execute the read, and reports whether it may: it has not left, nobody else
// executes, nor have all given up. It returns how many lists share the result, with m.
func (g *guarded) start(m *member, cancel context.CancelFunc) (members int, first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.slots[m.id]
	if !m.belongs || s == nil || s.pending != m.read {
		return 0, false
	}
	m.read.cancel = cancel
	close(m.read.started)
	s.pending, s.executing = nil, m.read
	return m.read.members, true
}

// handOver gives the seats of m, which has started its read, to the read, unless that has ended.
func (g *guarded) handOver(m *member) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !m.read.ended {
		m.read.release = m.seating.HandOver()
	}
}

// finish gives the members of a read their result.
func (g *guarded) finish(r *sharedRead, id identity) {
	if release := g.end(r, id); release != nil {
		release()
	}
}

func (g *guarded) end(r *sharedRead, id identity) (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	r.ended = true
	close(r.done)
	s := g.slots[id]
	s.executing = nil
	g.forget(id, s)
	return r.release
}

// forget drops a slot that has no reads.
func (g *guarded) forget(id identity, s *slot) {
	if s.pending == nil && s.executing == nil {
		delete(g.slots, id)
	}
}
