package main

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
)

// requests are the results of requests of mice.
type requests struct {
	latencies []time.Duration // of those answered with 200
	rejected  int             // with 429
	failed    int             // otherwise, or not at all
}

// p99 returns the latency that 99 % of the answers do not exceed, in seconds.
func (r requests) p99() float64 {
	if len(r.latencies) == 0 {
		return 0
	}
	return measurement.Quantile(r.latencies, 0.99).Seconds()
}

// small are the mice. They send requests at their pace and do not wait for answers.
type small struct {
	mu   sync.Mutex // guards what follows
	seen requests
}

// next returns the results since the last call.
func (m *small) next() requests {
	m.mu.Lock()
	defer m.mu.Unlock()
	seen := m.seen
	m.seen = requests{}
	return seen
}

func (m *small) add(took time.Duration, status int, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case err != nil || status != http.StatusOK && status != http.StatusTooManyRequests:
		m.seen.failed++
	case status == http.StatusTooManyRequests:
		m.seen.rejected++
	default:
		m.seen.latencies = append(m.seen.latencies, took)
	}
}

// run sends the requests of one of them until ctx ends.
func (m *small) run(ctx context.Context, client *traffic.Client) {
	var group sync.WaitGroup
	defer group.Wait()
	ticker := time.NewTicker(micePace)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		group.Go(func() {
			begin := time.Now()
			answer, err := client.Get(ctx, mousePath)
			if ctx.Err() == nil {
				m.add(time.Since(begin), answer.Status, err)
			}
		})
	}
}
