package eventually

import (
	"context"
	"time"
)

const (
	// Grace is how long anything that must happen may take.
	Grace = 5 * time.Minute
	// interval separates two attempts.
	interval = 20 * time.Millisecond
)

// TB is the part of testing.TB that waiting needs.
type TB interface {
	Helper()
	Context() context.Context
	Fatalf(format string, args ...any)
}

// Holds makes attempts until one ends without a failed assertion, and fails the
// test with the last attempt's failures if none does within Grace or before the
// test's context ends. What says what is waited for, as a clause: "the pod is
// ready".
func Holds(t TB, what string, try func(*Attempt)) {
	t.Helper()
	if failures := within(t.Context(), Grace, interval, try); failures != "" {
		t.Fatalf("waited in vain until %s:\n%s", what, failures)
	}
}

// Within is Holds for a caller that is no test: it returns the failures of the
// last attempt, "" once an attempt has none. It gives up when ctx ends, after
// Grace at the latest.
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
		// An attempt that the end of ctx cut off says less than the one before it.
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
