package eventually

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"github.com/stretchr/testify/require"
)

// Attempt takes the place of a *testing.T in the assertions of one attempt. It
// belongs to the goroutine that was given it.
type Attempt struct {
	ctx      context.Context //nolint:containedctx // handed out as testing.T does
	messages []string
	failed   bool
}

var _ require.TestingT = (*Attempt)(nil)

// makeAttempt runs try to its end, or to its first failed requirement. A panic
// in try remains one.
func makeAttempt(ctx context.Context, try func(*Attempt)) *Attempt {
	a := &Attempt{ctx: ctx}
	done := make(chan any)
	go func() { // FailNow ends a goroutine, and must not end the test's
		defer func() { done <- recover() }()
		try(a)
	}()
	if panicked := <-done; panicked != nil {
		panic(panicked)
	}
	return a
}

// Context ends with the test, or when the waiting does.
func (a *Attempt) Context() context.Context { return a.ctx }

// Helper does nothing: the failed assertion says where it stands.
func (a *Attempt) Helper() {}

// Errorf keeps the message of a failed assertion and goes on.
func (a *Attempt) Errorf(format string, args ...any) {
	a.failed = true
	a.messages = append(a.messages, fmt.Sprintf(format, args...))
}

// Fatalf keeps the message and ends the attempt.
func (a *Attempt) Fatalf(format string, args ...any) {
	a.Errorf(format, args...)
	a.FailNow()
}

// FailNow ends the attempt.
func (a *Attempt) FailNow() {
	a.failed = true
	runtime.Goexit()
}

// failures are the messages of the attempt.
func (a *Attempt) failures() string {
	if len(a.messages) == 0 {
		return "the attempt failed without a message"
	}
	return strings.Join(a.messages, "\n")
}
