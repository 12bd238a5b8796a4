//go:build !race

package queueset_test

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// settled is how long after the beginning requests arrive whose waits count.
const settled = 10 * time.Second

// waits records how long requests waited, by flow.
type waits struct {
	mu     sync.Mutex // guards byFlow
	byFlow map[string][]time.Duration
}

// timed returns newServe with a record of the waits.
func (w *waits) timed(newServe func(*testing.T) serve) func(*testing.T) serve {
	return func(t *testing.T) serve {
		untimed, begin := newServe(t), time.Now()
		return func(ctx context.Context, c *client, execute func()) {
			arrived := time.Now()
			untimed(ctx, c, func() {
				if arrived.Sub(begin) >= settled {
					w.add(c.flow, time.Since(arrived))
				}
				execute()
			})
		}
	}
}

func (w *waits) add(flowName string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.byFlow[flowName] = append(w.byFlow[flowName], d)
}

// quantile returns a quantile of the waits of all given clients, 0 without any.
func (w *waits) quantile(q float64, clients []client) time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []time.Duration
	for _, c := range clients {
		all = append(all, w.byFlow[c.flow]...)
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[min(len(all)-1, int(q*float64(len(all))))]
}

// service is what an engine gave to the clients of a mix.
type service struct {
	shares []float64
	waits  waits
}

// serviceOf runs a mix on one engine.
func serviceOf(t *testing.T, m mix, engine func(*testing.T, queueset.Config, int) serve, send func(*traffic)) *service {
	s := service{waits: waits{byFlow: map[string][]time.Duration{}}}
	s.shares = run(t, m.clients, s.waits.timed(func(t *testing.T) serve { return engine(t, m.config, m.limit) }), send)
	return &s
}
