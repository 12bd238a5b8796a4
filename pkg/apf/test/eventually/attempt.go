package eventually

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/stretchr/testify/require"
)

// Attempt replaces *testing.T in the assertions of one attempt. It belongs to
// the goroutine that received it.
type Attempt struct {
	ctx      context.Context //nolint:containedctx // handed out as testing.T does
	messages []string
	failed   bool
}

var _ require.TestingT = (*Attempt)(nil)

// makeAttempt runs try to its end, or to its first failed requirement. It
// passes a panic of try on.
func makeAttempt(ctx context.Context, try func(*Attempt)) *Attempt {
	a := &Attempt{ctx: ctx}
	done := make(chan any)
	go func() { // FailNow ends its goroutine, which must not be the test's
		defer func() { done <- recover() }()
		try(a)
	}()
	if panicked := <-done; panicked != nil {
		panic(panicked)
	}
	return a
}

// Context returns a context that ends with the test or with the wait.
func (a *Attempt) Context() context.Context { return a.ctx }

// Helper does nothing: the failed assertion reports its own location.
func (a *Attempt) Helper() {}

// Errorf records the message of a failed assertion and continues.
func (a *Attempt) Errorf(format string, args ...any) {
	a.failed = true
	a.messages = append(a.messages, fmt.Sprintf(format, args...))
}

// Fatalf records the message and ends the attempt.
func (a *Attempt) Fatalf(format string, args ...any) {
	a.Errorf(format, args...)
	a.FailNow()
}

// FailNow ends the attempt.
func (a *Attempt) FailNow() {
	a.failed = true
	runtime.Goexit()
}

// failures returns the messages of the attempt.
func (a *Attempt) failures() string {
	if len(a.messages) == 0 {
		return "the attempt failed without a message"
	}
	return strings.Join(a.messages, "\n")
}
