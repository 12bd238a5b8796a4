// Package borrowing makes the engine compute the limits of its priority levels again
// periodically, so that levels borrow the seats that others do not use. See package
// allocation for the computation.
package borrowing

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// Period is the time between two computations.
const Period = 10 * time.Second

// Rebalancer computes the limits from the demand since the last time.
type Rebalancer interface {
	Rebalance()
}

var _ Rebalancer = (*engine.Engine)(nil)

// Run calls Rebalance after every Period until the context ends. A period that is
// missed, because Rebalance took long or the clock jumped, is skipped.
func Run(ctx context.Context, c clock.WithTicker, r Rebalancer) {
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
		r.Rebalance()
	}
}
