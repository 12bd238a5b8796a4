package eventually

import (
	"context"
	"time"
)

const (
	// Grace is the time limit of every wait.
	Grace = 5 * time.Minute
	// interval is the pause between two attempts.
	interval = 20 * time.Millisecond
)

// TB is the part of testing.TB that a wait needs.
type TB interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
}

// Holds makes attempts until one ends without a failed assertion. It fails the
// test with the last attempt's failures if none does within Grace or before the
// test's context ends. what is the awaited condition as a clause: "the pod is
// ready".
func Holds(t TB, what string, try func(*Attempt)) {
	t.Helper()
	if failures := within(t.Context(), Grace, interval, try); failures != "" {
		t.Fatalf("waited in vain until %s:\n%s", what, failures)
	}
}

// Within is Holds for a caller that is not a test. It returns the failures of
// the last attempt, or "" if an attempt has none. It ends with ctx, or after
// Grace.
func Within(ctx context.Context, try func(*Attempt)) (failures string) {
	return within(ctx, Grace, interval, try)
}

func within(ctx context.Context, grace, interval time.Duration, try func(*Attempt)) (failures string) {
	ctx, cancel := context.WithTimeout(ctx, grace)
	defer cancel()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		attempt := makeAttempt(ctx, try)
		if !attempt.failed {
			return ""
		}
		// An attempt that the end of ctx cut off is less informative than the one
		// before it.
		if failures == "" || ctx.Err() == nil {
			failures = attempt.failures()
		}
		select {
		case <-ctx.Done():
			return failures
		case <-ticker.C:
		}
	}
}

// Returns calls f on a goroutine of its own, and fails the test if it does not return within Grace:
// it waits for something that waits for it.
func Returns(t TB, what string, f func()) {
	t.Helper()
	returned := make(chan struct{})
	go func() {
		defer close(returned) // after Goexit, too
		f()
	}()
	Holds(t, what, func(a *Attempt) {
		select {
		case <-returned:
		case <-a.Context().Done():
			a.Fatalf("it has not returned")
		}
	})
}
