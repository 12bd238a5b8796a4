package engine

import (
	"sync"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// announcements are what an Observer is not told yet. They are added while the Engine is locked,
// and told when it is not.
type announcements struct {
	observer Observer // nil if nobody is told

	mu      sync.Mutex // guards what follows
	pending []func()
	telling bool // a goroutine tells
}

// add adds one, unless nobody is told.
func (a *announcements) add(tell func()) {
	if a.observer == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending = append(a.pending, tell)
}

func (a *announcements) levelChanged(level LevelConfig, change LevelChange) {
	a.add(func() { a.observer.LevelChanged(level, change) })
}

func (a *announcements) divided(division Division) {
	a.add(func() { a.observer.Divided(division) })
}

func (a *announcements) applied(schemas []*rules.Schema, dangling []rules.Schema) {
	a.add(func() { a.observer.Applied(schemas, dangling) })
}

// announce tells all that is pending, unless another call does.
func (a *announcements) announce() {
	for a.announceOne() {
	}
}

// announceOne tells the first that is pending, and reports whether it did.
func (a *announcements) announceOne() bool {
	tell := a.begin()
	if tell == nil {
		return false
	}
	defer a.end()
	tell()
	return true
}

// begin removes the first that is pending, for the caller to tell and then call end. It returns nil
// if there is none, or if another call tells.
func (a *announcements) begin() (tell func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.telling || len(a.pending) == 0 {
		return nil
	}
	a.telling = true
	tell, a.pending[0] = a.pending[0], nil
	a.pending = a.pending[1:]
	return tell
}

func (a *announcements) end() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.telling = false
}
