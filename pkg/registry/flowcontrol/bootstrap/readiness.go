package bootstrap

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// readiness remembers how far the first pass has come.
type readiness struct {
	mu sync.Mutex
	// ready: a pass has succeeded. It stays so: what is deleted afterwards is
	// brought back by the next pass.
	ready bool
	// missing are the built-in objects, as "Kind name", that no pass has seen in
	// order yet.
	missing []string
	// failure is that of the last pass, nil before the first.
	failure error
}

// expect adds an object to those that have to be in order.
func (r *readiness) expect(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing = append(r.missing, kind+" "+name)
}

// kept takes note that an object is in order.
func (r *readiness) kept(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing = slices.DeleteFunc(r.missing, func(missing string) bool { return missing == kind+" "+name })
}

// passed takes note of the outcome of a pass.
func (r *readiness) passed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready = r.ready || err == nil
	r.failure = err
}

// err is nil once a pass has succeeded, and otherwise says what is missing.
func (r *readiness) err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ready {
		return nil
	}
	state := "leftover objects of a former release are not yet deleted"
	if len(r.missing) > 0 {
		state = "not yet in place: " + strings.Join(r.missing, ", ")
	}
	if r.failure == nil {
		return fmt.Errorf("%s; the first pass has not ended yet", state)
	}
	return fmt.Errorf("%s; the last pass failed: %w", state, r.failure)
}
