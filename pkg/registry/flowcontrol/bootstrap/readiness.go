package bootstrap

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/util/sets"
)

// tolerance is the number of passes for which readiness waits until one succeeds. A moment's
// errors on startup should not leave clients without the built-in objects of an empty store.
// After that, nothing that a pass cannot do makes the server unready: the mandatory objects are
// in effect whatever is stored, and an API that goes away cannot be mended through the API.
const tolerance = 3

// readiness says which built-in objects are ensured.
type readiness struct {
	mu sync.Mutex // guards the fields below
	// succeeded is set by the first pass that ensures all and deletes what is obsolete.
	succeeded bool
	// failed is the number of passes before that.
	failed int
	// seen are the built-in objects that were ensured once, as "Kind name".
	seen sets.Set[string]
	// lacking are the built-in objects that have not been ensured yet, or not by the last pass, as
	// "Kind name".
	lacking []string
	// failure is the error of the last pass, nil before the first.
	failure error
}

// lacks records that an object is not ensured.
func (r *readiness) lacks(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if object := kind + " " + name; !slices.Contains(r.lacking, object) {
		r.lacking = append(r.lacking, object)
	}
}

// ensured records that an object is ensured.
func (r *readiness) ensured(kind, name string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.seen.Insert(kind + " " + name)
	r.lacking = slices.DeleteFunc(r.lacking, func(lacking string) bool { return lacking == kind+" "+name })
}

// passed records the result of a pass.
func (r *readiness) passed(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failure = err
	r.succeeded = r.succeeded || err == nil
	if !r.succeeded {
		r.failed++
	}
}

// hasPassed reports whether a pass has succeeded.
func (r *readiness) hasPassed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.succeeded
}

// hasEnsured reports whether an object was ensured once.
func (r *readiness) hasEnsured(kind, name string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.seen.Has(kind + " " + name)
}

// err returns what readiness waits for.
func (r *readiness) err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.succeeded || r.failed >= tolerance:
		return nil
	case r.failure == nil:
		return fmt.Errorf("%s; the first pass is in progress", r.stateLocked())
	default:
		return fmt.Errorf("%s; the last pass failed: %w", r.stateLocked(), r.failure)
	}
}

func (r *readiness) stateLocked() string {
	if len(r.lacking) == 0 {
		return "obsolete objects of another release not yet deleted"
	}
	return "built-in objects not ensured: " + strings.Join(r.lacking, ", ")
}

// message returns what is not done yet, for anyone to read.
func (r *readiness) message() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.failure != nil:
		return r.stateLocked() + "; the log says why"
	case r.succeeded:
		return ""
	default:
		return "the first pass is in progress"
	}
}
