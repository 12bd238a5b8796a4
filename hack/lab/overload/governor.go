package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"time"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

const (
	// others are the shares of all levels but the elephant's where its seats are governed,
	// and the static total there. So a share of the elephant's level is a seat, up to some
	// hundreds.
	others = 100_000
	// restLevel is the level that has most of them.
	restLevel = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: rest}
spec:
  type: Limited
  limited: {nominalConcurrencyShares: %d, lendablePercent: 0, limitResponse: {type: Reject}}
`
	// builtIn are the shares of the built-in levels, mouseShares the shares of the level mice.
	builtIn, mouseShares = 245, 500
)

// governor sets the seats of the elephant's level by the API.
type governor struct {
	client *http.Client
	url    string
	seats  float64
	decide func(float64, reading) float64
	last   scrape.Scrape
}

// newGovernor sets the level to its first seats.
func newGovernor(o *harness.Owner, server *harness.Server, r regime) *governor {
	client, err := rest.HTTPClientFor(server.Config(o))
	o.Check(err)
	g := &governor{client: client, url: server.URL, seats: float64(r.static), decide: r.govern}
	server.Kubectl(o).RunInput(o, fmt.Sprintf(restLevel, others-builtIn-mouseShares), "apply", "-f", "-")
	o.Check(g.set(o.Context()))
	return g
}

// set gives the level its seats.
func (g *governor) set(ctx context.Context) error {
	body := fmt.Sprintf(`{"spec":{"limited":{"nominalConcurrencyShares":%d,"borrowingLimitPercent":0}}}`, int(math.Round(g.seats)))
	reply, err := harness.Send(ctx, g.client, http.MethodPatch, g.url+"/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations/elephants", body,
		"Content-Type: application/merge-patch+json")
	if err == nil && reply.Code != http.StatusOK {
		err = fmt.Errorf("setting the seats of the elephant's level: %d: %s", reply.Code, reply.Body)
	}
	return err
}

// run governs until ctx ends, and returns the seats, one number each second.
func (g *governor) run(ctx context.Context) (seats []float64, err error) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return seats, nil
		case <-ticker.C:
		}
		seen, err := g.read(ctx)
		if err == nil {
			if g.seats = g.decide(g.seats, seen); ctx.Err() == nil {
				err = g.set(ctx)
			}
		}
		if ctx.Err() != nil {
			return seats, nil
		}
		if err != nil {
			return seats, err
		}
		seats = append(seats, g.seats)
	}
}

// read returns what the server did since the last call.
func (g *governor) read(ctx context.Context) (seen reading, err error) {
	reply, err := harness.Send(ctx, g.client, http.MethodGet, g.url+"/metrics", "")
	if err != nil {
		return seen, err
	}
	const prefix, ofElephants = "apiserver_flowcontrol_", `flow_schema="elephants"`
	now, err := scrape.Parse(reply.Body, prefix)
	if err != nil {
		return seen, err
	}
	seen.latency = now.Since(g.last).Mean(prefix+"request_execution_seconds", ofElephants).Seconds()
	seen.waiting = now.Sum(prefix+"current_inqueue_requests", ofElephants)
	for signal := range total.SignalCount {
		seen.pressure[signal] = now.Sum(prefix+"machine_pressure_ratio", `signal="`+signal.String()+`"`)
	}
	g.last = now
	return seen, nil
}
