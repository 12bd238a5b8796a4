package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Owner implements TB for a program that is not a test.
type Owner struct {
	ctx      context.Context //nolint:containedctx // TB hands it out, as testing.TB does
	failed   bool
	cleanups []func()
}

var _ TB = (*Owner)(nil)

// failure is the value of Fatalf's panic; Own recovers it.
type failure struct{ message string }

// Own runs body with an owner, and then the owner's cleanups, even if body panics.
// It returns an error if body failed.
func Own(ctx context.Context, body func(*Owner)) (err error) {
	o := &Owner{ctx: ctx}
	defer func() {
		for _, cleanup := range slices.Backward(o.cleanups) {
			cleanup()
		}
	}()
	defer func() {
		switch cause := recover().(type) {
		case nil:
		case failure:
			err = errors.New(cause.message)
		default:
			panic(cause)
		}
	}()
	body(o)
	return nil
}

// Within is a nested Own: the processes that body starts end before Within
// returns.
func (o *Owner) Within(body func(*Owner)) {
	if err := Own(o.ctx, body); err != nil {
		o.Fatalf("%v", err)
	}
}

// Check calls Fatalf if there is an error.
func (o *Owner) Check(err error) {
	if err != nil {
		o.Fatalf("%v", err)
	}
}

// Helper does nothing: log lines carry no caller.
func (o *Owner) Helper() {}

// Name is the program's name.
func (o *Owner) Name() string { return filepath.Base(os.Args[0]) }

// Failed reports whether Fatalf was called.
func (o *Owner) Failed() bool { return o.failed }

// Context returns the context passed to Own.
func (o *Owner) Context() context.Context { return o.ctx }

// Cleanup registers a function that Own calls at its end, the last one first.
func (o *Owner) Cleanup(cleanup func()) { o.cleanups = append(o.cleanups, cleanup) }

// Logf writes a line to stderr, with the time of day.
func (o *Owner) Logf(format string, args ...any) {
	fmt.Fprintf(os.Stderr, time.Now().Format(time.TimeOnly)+" "+format+"\n", args...)
}

// Fatalf ends the body that Own runs. Call it in the goroutine of body.
func (o *Owner) Fatalf(format string, args ...any) {
	o.failed = true
	panic(failure{fmt.Sprintf(format, args...)})
}

// TempDir makes a directory, removed at the end of Own.
func (o *Owner) TempDir() string {
	dir, err := os.MkdirTemp("", "fca-")
	o.Check(err)
	o.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
