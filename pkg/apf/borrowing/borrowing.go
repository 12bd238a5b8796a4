// Package borrowing makes the engine divide the seats of the server among its
// priority levels again and again, so that seats which some levels leave unused
// go to those that want them. How they are divided is the matter of package
// allocation.
package borrowing

import (
	"context"
	"time"

	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// Period is the time between two divisions.
const Period = 10 * time.Second

// Rebalancer divides the seats.
type Rebalancer interface {
	Rebalance()
}

var _ Rebalancer = (*engine.Engine)(nil)

// Run divides the seats after every Period until the context ends. Periods
// that pass unseen, because a division took long or the clock jumped, are not
// made up for.
func Run(ctx context.Context, c clock.WithTicker, r Rebalancer) {
	ticker := c.NewTicker(Period)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
		case <-ticker.C():
		}
		// Of both at once, select may choose either.
		if ctx.Err() != nil {
			return
		}
		r.Rebalance()
	}
}
