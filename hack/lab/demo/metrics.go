package main

import (
	"context"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// sampleInterval is the time between two samples of the seats in use.
const sampleInterval = 500 * time.Millisecond

// metrics scrapes the server.
func (s *scene) metrics(o *harness.Owner) scrape.Scrape {
	values, err := scrape.Parse(s.kubectl.Run(o, "get", "--raw", "/metrics"), "apiserver_flowcontrol_")
	o.Check(err)
	return values
}

// occupancy is the mean of the seats in use, by flow schema.
type occupancy map[string]float64

// sample samples the seats in use until ctx ends.
func (s *scene) sample(ctx context.Context, o *harness.Owner) occupancy {
	sums, samples := occupancy{}, 0.0
	ticker := time.NewTicker(sampleInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			for schema := range sums {
				sums[schema] /= max(samples, 1)
			}
			return sums
		case <-ticker.C:
			now := s.metrics(o)
			samples++
			for _, schema := range []string{"batch-jobs", "global-default"} {
				sums[schema] += now.Sum("apiserver_flowcontrol_current_executing_seats", `flow_schema="`+schema+`"`)
			}
		}
	}
}
