package linearizability_test

import (
	"context"
	"sync"
)

// made counts operations. Others can wait for a count.
type made struct {
	mutex   sync.Mutex
	changed *sync.Cond
	count   int // guarded by mutex
}

func newMade() *made {
	m := &made{}
	m.changed = sync.NewCond(&m.mutex)
	return m
}

func (m *made) add() { m.finish(1) }

// finish adds count operations: operations that a client will not execute.
func (m *made) finish(count int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.count += count
	m.changed.Broadcast()
}

func (m *made) wait(count int) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	for m.count < count {
		m.changed.Wait()
	}
}

// gate keeps clients from using a server that is not available.
type gate struct {
	mutex  sync.Mutex
	opened chan struct{} // guarded by mutex; closed while the gate is open
}

func (g *gate) open() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	if g.opened == nil {
		g.opened = make(chan struct{})
	}
	close(g.opened)
}

func (g *gate) close() {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	g.opened = make(chan struct{})
}

func (g *gate) isOpen() bool {
	g.mutex.Lock()
	defer g.mutex.Unlock()
	select {
	case <-g.opened:
		return true
	default:
		return false
	}
}

func (g *gate) wait(ctx context.Context) {
	g.mutex.Lock()
	opened := g.opened
	g.mutex.Unlock()
	select {
	case <-opened:
	case <-ctx.Done():
	}
}
