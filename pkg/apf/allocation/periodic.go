package allocation

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Period is the time between two divisions of the seats by demand, as in k8s.io/apiserver.
const Period = 10 * time.Second

// Periodically calls divide after every period until the context ends. A period that is
// missed, because divide took long or the clock jumped, is skipped.
func Periodically(ctx context.Context, c clock.WithTicker, period time.Duration, divide func()) {
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
		divide()
	}
}
