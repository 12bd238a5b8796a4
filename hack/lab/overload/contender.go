package main

import (
	"context"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// contender is a server with one regime. It has nothing to do while others are measured, and
// keeps its total then.
type contender struct {
	regime regime
	server *harness.Server
	target *traffic.Target
	quiet  float64 // p99 of the important client alone, in seconds
	// seats returns the seats of each second until the context ends. Meanwhile it sets them,
	// if the regime does that.
	seats func(context.Context) ([]float64, error)
}

// contender starts a server.
func (s shortage) contender(o *harness.Owner, etcd *harness.Etcd, r regime) *contender {
	total := r.static
	if r.govern != nil {
		total = others
	}
	c := &contender{regime: r}
	c.server, c.target = s.start(o, etcd, total, r.args)
	c.seats = func(ctx context.Context) ([]float64, error) { return totals(ctx, o, c.server) }
	if r.govern != nil {
		c.seats = newGovernor(o, c.server, r).run
	}
	var first, alone traffic.Tally
	c.important(o.Context(), restless, &first) // connects
	c.important(o.Context(), quietTime, &alone)
	c.quiet = alone.Quantile(0.99).Seconds()
	return c
}

// settle puts the server under a load until its seats have come to rest.
func (c *contender) settle(o *harness.Owner, load arrivals, longest time.Duration) {
	load.Settle, load.Measure = 0, calm
	for range longest / calm {
		if _, seats := c.under(o, load, func(context.Context) {}); atRest(seats) {
			return
		}
	}
}

// atRest reports whether these seats, one figure a second, hardly changed.
func atRest(seats []float64) bool {
	return len(seats) > 0 && slices.Max(seats) <= 1.05*slices.Min(seats)
}

// measure measures the server under a load, as one round of a result.
func (c *contender) measure(o *harness.Owner, load arrivals, round int, got *result) {
	var important traffic.Tally
	outcome, seats := c.under(o, load, func(ctx context.Context) { c.important(ctx, load.Measure, &important) })
	got.outcome.add(outcome)
	got.busy = append(got.busy, important.Quantile(0.99).Seconds())
	failed, _ := important.Failed()
	got.rejected += important.Rejected() + failed
	got.goodputs[round] = float64(outcome.Good) / load.Measure.Seconds()
	got.seats = append(got.seats, seats[min(len(seats), int(load.Settle.Seconds())):]...)
	peak, err := measurement.ProcessMemory(c.server.Process.PID(), "VmHWM")
	o.Check(err)
	got.peak = peak
}

// under puts the server under a load, and calls meanwhile when that is to be measured.
func (c *contender) under(o *harness.Owner, load arrivals, meanwhile func(context.Context)) (got outcome, seats []float64) {
	ctx, cancel := context.WithTimeout(o.Context(), load.Settle+load.Measure)
	defer cancel()
	var group errgroup.Group
	group.Go(func() (err error) {
		seats, err = c.seats(ctx)
		return err
	})
	load.Kubeconfig = c.server.Kubeconfig
	group.Go(func() (err error) {
		got, err = load.process(o.Context())
		return err
	})
	wait(ctx, load.Settle)
	meanwhile(ctx)
	o.Check(group.Wait())
	return got, seats
}

// important sends the requests of the important client for a time.
func (c *contender) important(ctx context.Context, length time.Duration, tally *traffic.Tally) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	client := c.target.Client(traffic.NameOfMouse(0))
	defer client.Close()
	traffic.Mouse(ctx, client, mousePace, 0, mousePath, tally)
}
