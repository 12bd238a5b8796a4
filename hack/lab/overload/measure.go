package main

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

const (
	// restless is how long a server has its load before it is measured.
	restless = time.Second
	// calm is how long seats must stay the same to have come to rest.
	calm = 40 * time.Second
	// quietTime is how long the important client is alone.
	quietTime = 15 * time.Second
	mousePace = 50 * time.Millisecond
	mousePath = collection + "/catch-all?resourceVersion=0"
)

// measure measures all contenders in turns, under each load.
func (s shortage) measure(o *harness.Owner, with settings) (results []*result) {
	all := s.contenders(o)
	usual := all[slices.IndexFunc(all, func(c *contender) bool { return c.regime.static == s.static })]
	capacity := s.capacity(o.Context(), usual.target, with.capacity)
	o.Logf("%s: the server can do %.0f requests a second", s.title, capacity)
	for _, factor := range with.factors {
		present := slices.DeleteFunc(slices.Clone(all), func(c *contender) bool {
			return c.regime.govern != nil && factor < slices.Max(with.factors)
		})
		got := s.under(o, present, arrivals{Path: s.path, Rate: factor * capacity}, with)
		for _, r := range got {
			r.factor = factor
			o.Logf("%s, %g times: %v", s.title, factor, r)
		}
		results = append(results, got...)
	}
	return results
}

// under measures contenders in turns under one load.
func (s shortage) under(o *harness.Owner, present []*contender, load arrivals, with settings) (results []*result) {
	for _, c := range present {
		o.Check(measurement.ResetPeak(c.server.Process.PID()))
		results = append(results, &result{short: s, regime: c.regime, quiet: c.quiet, goodputs: map[int]float64{}})
		if c.regime.moves {
			c.settle(o, load, with.settle)
		}
	}
	load.Settle, load.Measure = restless, with.load
	for round := range with.rounds {
		for i := range present {
			if at := (i + round) % len(present); present[at].regime.govern == nil || round%2 == 0 {
				present[at].measure(o, load, round, results[at])
			}
		}
	}
	return results
}

// contenders starts a server for each regime. Those whose seats the API sets have an etcd of
// their own.
func (s shortage) contenders(o *harness.Owner) (all []*contender) {
	shared := s.store(o)
	for _, r := range s.regimes() {
		etcd := shared
		if r.govern != nil {
			etcd = s.store(o)
		}
		all = append(all, s.contender(o, etcd, r))
	}
	return all
}

// store starts an etcd with the objects.
func (s shortage) store(o *harness.Owner) *harness.Etcd {
	etcd := harness.StartEtcd(o, harness.EtcdOptions{})
	o.Within(func(o *harness.Owner) { s.fill(o, harness.StartServer(o, harness.ServerOptions{Etcd: etcd})) })
	return etcd
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
