package allocation

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Period is the time between two divisions of the seats by demand.
const Period = 10 * time.Second

// Periodically calls divide after every Period until the context ends. A period that is
// missed, because divide took long or the clock jumped, is skipped.
func Periodically(ctx context.Context, c clock.WithTicker, divide func()) {
	ticker := c.NewTicker(Period)
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
		divide()
	}
}
