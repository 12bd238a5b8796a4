package bootstrap

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// readiness tracks the progress towards the first successful pass.
type readiness struct {
	mu sync.Mutex // guards the fields below
	// ready is set by the first successful pass and stays set: the next pass
	// recreates what is deleted afterwards.
	ready bool
	// missing are the built-in objects not yet ensured, as "Kind name".
	missing []string
	// failure is the error of the last pass, nil before the first.
	failure error
}

// expect adds an object to those to be ensured.
func (r *readiness) expect(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing = append(r.missing, kind+" "+name)
}

// ensured records that an object has been ensured.
func (r *readiness) ensured(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.missing = slices.DeleteFunc(r.missing, func(missing string) bool { return missing == kind+" "+name })
}

// passed records the result of a pass.
func (r *readiness) passed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ready = r.ready || err == nil
	r.failure = err
}

// err returns nil once a pass has succeeded, and otherwise what is missing.
func (r *readiness) err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ready {
		return nil
	}
	state := "obsolete objects of another release not yet deleted"
	if len(r.missing) > 0 {
		state = "built-in objects not yet ensured: " + strings.Join(r.missing, ", ")
	}
	if r.failure == nil {
		return fmt.Errorf("%s; the first pass is in progress", state)
	}
	return fmt.Errorf("%s; the last pass failed: %w", state, r.failure)
}
