// Package periodic waits, and calls functions periodically, by a clock of k8s.io/utils.
package periodic

import (
	"context"
	"time"

	utilclock "k8s.io/utils/clock"
)

// Run calls f after every period until the context ends. A period that is
// missed, because f took long or the clock jumped, is skipped.
func Run(ctx context.Context, c utilclock.WithTicker, period time.Duration, f func()) {
	ticker := c.NewTicker(period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-ticker.C():
		}
		// If both are ready, select chooses either.
		if ctx.Err() != nil {
			return
		}
		f()
	}
}

// Wait waits for a time, and reports whether it passed before the context ended.
func Wait(ctx context.Context, c utilclock.Clock, d time.Duration) bool {
	timer := c.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C():
		return true
	}
}
