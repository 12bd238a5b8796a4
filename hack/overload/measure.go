package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/scrape"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// restless is the time before a server is measured whose total does not move.
	restless = 3 * time.Second
	// quietTime is how long the important client is alone.
	quietTime = 5 * time.Second
	mousePace = 50 * time.Millisecond
	mousePath = collection + "/catch-all?resourceVersion=0"
)

// measure measures a server with each total, under each load.
func (s shortage) measure(o *harness.Owner, with settings) (results []result) {
	etcd := harness.StartEtcd(o, harness.EtcdOptions{})
	o.Within(func(o *harness.Owner) { s.fill(o, harness.StartServer(o, harness.ServerOptions{Etcd: etcd})) })
	var capacity float64
	o.Within(func(o *harness.Owner) {
		_, target := s.start(o, etcd, s.static, nil)
		capacity = s.capacity(o.Context(), target, with.load)
	})
	o.Logf("%s: the server can do %.0f requests a second", s.title, capacity)
	for _, factor := range with.factors {
		for _, regime := range s.regimes(factor == slices.Max(with.factors)) {
			o.Within(func(o *harness.Owner) {
				load := arrivals{Path: s.path, Rate: factor * capacity, Settle: restless, Measure: with.load}
				if regime.moves {
					load.Settle = with.settle
				}
				got := s.cell(o, etcd, regime, load)
				got.factor = factor
				results = append(results, got)
				o.Logf("%s, %g times: %v", s.title, factor, got)
			})
		}
	}
	return results
}

// start starts a server with a static total and further flags.
func (s shortage) start(o *harness.Owner, etcd *harness.Etcd, total int, args []string) (*harness.Server, *traffic.Target) {
	args = append([]string{fmt.Sprintf("--max-requests-inflight=%d", total), "--max-mutating-requests-inflight=0"}, args...)
	store := etcd
	if s.delay > 0 {
		store = nil
		args = append(args, "--etcd-servers=http://"+delayed(o, strings.TrimPrefix(etcd.URL, "http://"), s.delay))
	}
	return traffic.StartServer(o, harness.ServerOptions{
		Program: harness.Program(o, binaries.Release), Etcd: store, Args: append(args, s.args...), Env: s.env,
	}, traffic.People("elephants", 1), traffic.Backend{})
}

// capacity returns the requests a second that a few busy connections get answered.
func (s shortage) capacity(ctx context.Context, target *traffic.Target, length time.Duration) float64 {
	client := target.Client("elephant")
	defer client.Close()
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	var tally traffic.Tally
	traffic.Elephant(ctx, client, s.busy, traffic.Rude, s.path, &tally)
	return float64(tally.Served()) / length.Seconds()
}

// cell measures one server under one load.
func (s shortage) cell(o *harness.Owner, etcd *harness.Etcd, r regime, load arrivals) result {
	start := r.static
	if r.govern != nil {
		start = others
	}
	server, target := s.start(o, etcd, start, r.args)
	seats := func(ctx context.Context) ([]float64, error) { return totals(ctx, o, server) }
	if r.govern != nil {
		seats = newGovernor(o, server, r).run
	}
	got := result{short: s, regime: r}
	got.quiet, _ = important(o.Context(), target, quietTime)

	ctx, cancel := context.WithTimeout(o.Context(), load.Settle+load.Measure)
	defer cancel()
	var group errgroup.Group
	group.Go(func() (err error) {
		got.seats, err = seats(ctx)
		return err
	})
	load.Kubeconfig = server.Kubeconfig
	group.Go(func() (err error) {
		got.outcome, err = load.process(o.Context())
		return err
	})
	wait(ctx, load.Settle)
	o.Check(measurement.ResetPeak(server.Process.PID()))
	got.busy, got.refused = important(ctx, target, load.Measure)
	o.Check(group.Wait())
	got.seats = got.seats[max(0, len(got.seats)-int(load.Measure.Seconds())):]
	got.goodput = float64(got.outcome.Good) / load.Measure.Seconds()
	var err error
	got.peak, err = measurement.ProcessMemory(server.Process.PID(), "VmHWM")
	o.Check(err)
	return got
}

// important sends the requests of the important client for a time, and returns its p99 in
// seconds, and how many requests were rejected or failed.
func important(ctx context.Context, target *traffic.Target, length time.Duration) (p99 float64, refused int) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	client := target.Client(traffic.NameOfMouse(0))
	defer client.Close()
	var tally traffic.Tally
	traffic.Mouse(ctx, client, mousePace, 0, mousePath, &tally)
	failed, _ := tally.Failed()
	return tally.Quantile(0.99).Seconds(), tally.Refused() + failed
}

// totals reads the total in effect each second until ctx ends.
func totals(ctx context.Context, o *harness.Owner, server *harness.Server) (values []float64, err error) {
	client, err := rest.HTTPClientFor(server.Config(o))
	if err != nil {
		return nil, err
	}
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return values, nil
		case <-ticker.C:
		}
		const family = "apiserver_flowcontrol_total_seats"
		reply, err := harness.Send(ctx, client, http.MethodGet, server.URL+"/metrics", "")
		if err != nil {
			continue // the server is slow
		}
		if metrics, err := scrape.Parse(reply.Body, family); err == nil {
			values = append(values, metrics.Sum(family))
		}
	}
}

// wait returns after a time, or when ctx ends.
func wait(ctx context.Context, length time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	<-ctx.Done()
}
