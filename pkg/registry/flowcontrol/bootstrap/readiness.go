package bootstrap

import (
	"fmt"
	"slices"
	"strings"
	"sync"
)

// tolerance is the number of passes in a row that may leave a built-in object missing,
// over two minutes. All replicas see the same store: they must not become unready
// together because of a deletion that the next pass heals.
const tolerance = 3

// readiness says whether the built-in objects exist.
type readiness struct {
	mu sync.Mutex // guards the fields below
	// started is set by the first successful pass.
	started bool
	// missing are the built-in objects that do not exist as far as is known, as "Kind name".
	missing []string
	// failures are the last passes in a row that left objects missing.
	failures int
	// failure is the error of the last pass, nil before the first.
	failure error
}

// lacks records that an object has not been ensured: that it is expected, or that it does
// not exist and could not be created.
func (r *readiness) lacks(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if object := kind + " " + name; !slices.Contains(r.missing, object) {
		r.missing = append(r.missing, object)
	}
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
	r.started = r.started || err == nil
	r.failure = err
	if len(r.missing) == 0 {
		r.failures = 0
	} else {
		r.failures++
	}
}

// hasPassed reports whether a pass has succeeded.
func (r *readiness) hasPassed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.started
}

// err returns what is missing: until a pass has succeeded, and after that if the last
// passes did not create it.
func (r *readiness) err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started && r.failures < tolerance {
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
