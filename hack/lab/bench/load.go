package main

import (
	"context"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// population is the number of FlowSchemas besides the built-in ones.
	population = 500
	// manyClients is the number of concurrent clients in the second half of the
	// measurements.
	manyClients = 16
)

// operation is a kind of request.
type operation struct {
	name string
	// count is the number of requests in one round. It is fixed, so that both
	// servers end with the same number of objects.
	count int
	send  func(ctx context.Context, c *client, n int) error
	// clean deletes what a round created; nil means nothing to delete.
	clean func(ctx context.Context, c *client) error
}

func operations() []operation {
	return []operation{
		{name: "get", count: 1500, send: func(ctx context.Context, c *client, n int) error {
			return c.do(ctx, http.MethodGet, collection+"/"+traffic.NameOfFilled(n%manyClients), "")
		}},
		{name: "list of 500", count: 50, send: func(ctx context.Context, c *client, _ int) error {
			return c.do(ctx, http.MethodGet, collection, "")
		}},
		{
			name: "create", count: 200,
			send: func(ctx context.Context, c *client, n int) error {
				return c.do(ctx, http.MethodPost, collection, flowSchema(fmt.Sprintf("bench-created-%d", n), "bench", "created", 9000))
			},
			clean: func(ctx context.Context, c *client) error {
				return c.do(ctx, http.MethodDelete, collection+"?labelSelector=bench%3Dcreated", "")
			},
		},
		{name: "update", count: 200, send: func(ctx context.Context, c *client, n int) error {
			name := traffic.NameOfFilled(n % manyClients)
			return c.do(ctx, http.MethodPut, collection+"/"+name, flowSchema(name, "bench", "held", 5000+int(time.Now().UnixNano()%4000)))
		}},
	}
}

// measureLoad measures requests. Both servers run at the same time
// and are measured in turns.
func measureLoad(o *harness.Owner, s settings) (tables []table) {
	o.Within(func(o *harness.Owner) {
		etcds := [2]*harness.Etcd{startEtcd(o), startEtcd(o)}
		fill(o, etcds, population)
		servers := [2]contender{startOurs(o, etcds[ours], "--etcd-prefix="+storePrefix), startTheirs(o, etcds[theirs], "--etcd-prefix="+storePrefix)}
		clients := [2][]*client{servers[ours].clients(o, manyClients), servers[theirs].clients(o, manyClients)}
		for _, count := range []int{1, manyClients} {
			tables = append(tables, measureRequests(o, servers, [2][]*client{clients[ours][:count], clients[theirs][:count]}, s))
		}
	})
	return tables
}

// measureRequests measures each operation through that many clients of each server.
func measureRequests(o *harness.Owner, servers [2]contender, clients [2][]*client, s settings) table {
	count := len(clients[ours])
	table := table{
		title: fmt.Sprintf("Requests through %d clients", count),
		note:  fmt.Sprintf("FlowSchemas in JSON over HTTP/2, %d beside the built-in ones, one connection for each client; writes wait for etcd's fsync.", population),
	}
	if count == 1 {
		table.title = "Requests through one client"
	}
	for _, op := range operations() {
		o.Logf("requests: %s through %d", op.name, count)
		benchmark := fmt.Sprintf("Requests/op=%s/clients=%d", op.name, count)
		s.measureTurns(o, benchmark, servers, clients, op)
		table.rows = append(table.rows,
			compare(op.name+", requests", benchmark, measurement.PerSecond, 1),
			compare(op.name+", p50", benchmark, p50, 1),
			compare(op.name+", p99", benchmark, p99, 1),
			compare(op.name+", processor time", benchmark, processor, 1))
	}
	return table
}

// measureTurns measures the rounds of an operation on both servers in turns, with the processor time
// of a request.
func (s settings) measureTurns(o *harness.Owner, benchmark string, servers [2]contender, clients [2][]*client, op operation) {
	for round := range s.rounds + 1 {
		for _, by := range turns(round) {
			before, err := measurement.ProcessorTime(servers[by].process.PID())
			o.Check(err)
			values, err := measureRound(o.Context(), clients[by], op)
			o.Check(err)
			after, err := measurement.ProcessorTime(servers[by].process.PID())
			o.Check(err)
			values[processor] = (after - before).Seconds() / float64(op.count)
			if round > 0 { // the first warms up
				s.record(o, benchmark, by, op.count, values)
			}
		}
	}
}

// measureRound sends the operation's requests through the clients. Each client
// sends its next request after the answer to its last.
func measureRound(ctx context.Context, clients []*client, op operation) (measurement.Values, error) {
	latencies := make([]float64, op.count)
	var next atomic.Int64
	group, groupContext := errgroup.WithContext(ctx)
	begin := time.Now()
	for _, c := range clients {
		group.Go(func() error {
			for {
				n := int(next.Add(1)) - 1
				if n >= op.count {
					return nil
				}
				sent := time.Now()
				if err := op.send(groupContext, c, n); err != nil {
					return err
				}
				latencies[n] = time.Since(sent).Seconds()
			}
		})
	}
	err := group.Wait()
	took := time.Since(begin).Seconds()
	if err == nil && op.clean != nil {
		err = op.clean(ctx, clients[0])
	}
	if err != nil {
		return nil, err
	}
	return measurement.Values{
		measurement.PerSecond: float64(op.count) / took,
		p50:                   measurement.Quantile(latencies, 0.5),
		p99:                   measurement.Quantile(latencies, 0.99),
	}, nil
}

// turns returns the order of the servers in a round. It alternates.
func turns(round int) [2]server {
	if round%2 == 0 {
		return [2]server{ours, theirs}
	}
	return [2]server{theirs, ours}
}
