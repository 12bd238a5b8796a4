package main

import (
	"context"
	"fmt"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	connections = 50
	// pace is the time between two small requests.
	pace = 50 * time.Millisecond
)

// result is what one case came to.
type result struct {
	size size
	list list
	cost estimate.ListCost

	killed  bool
	perList float64 // seats, the mean
	rate    float64 // lists per second
	peak    float64 // resident memory in bytes
	small   time.Duration
}

// measure lists from a server of its own.
func measure(o *harness.Owner, s settings, size size, list list, cost estimate.ListCost) result {
	o.Logf("%s", name(size, list, cost))
	etcd := harness.StartEtcd(o, harness.EtcdOptions{})
	store := etcd.Client(o)
	o.Check(traffic.Fill(o.Context(), store, storePrefix, stored/size.bytes, size.bytes))
	server, target := traffic.StartServer(o, harness.ServerOptions{
		Etcd: etcd, Args: []string{"--list-cost=" + string(cost)},
		Env: []string{fmt.Sprintf("GOMEMLIMIT=%d", int64(0.9*s.limit))},
	}, traffic.People("system:serviceaccounts", 1), traffic.Backend{})
	present, err := store.Get(o.Context(), "x")
	o.Check(err)

	ctx, cancel := context.WithTimeout(o.Context(), s.load)
	defer cancel()
	watch := newWatch(o, server, s.limit)
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		watch.run(ctx, cancel)
	}()
	begin := time.Now()
	elephant, mouse := target.Client("elephant"), target.Client(traffic.NameOfMouse(0))
	defer elephant.Close()
	defer mouse.Close()
	var lists, gets traffic.Tally
	small := make(chan struct{})
	go func() {
		defer close(small)
		traffic.Mouse(ctx, mouse, pace, 0, collection+"/catch-all", &gets)
	}()
	traffic.Elephant(ctx, elephant, connections, traffic.Polite, list.path(present.Header.Revision), &lists)
	<-small
	took := time.Since(begin).Seconds()
	<-watched
	return result{
		size: size, list: list, cost: cost, killed: watch.killed, perList: watch.seats, peak: watch.peak,
		rate: float64(lists.Served()) / took, small: gets.Quantile(0.99),
	}
}
