package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// watchers is the number of watches on one server.
	watchers = 1000
	// watchedWrites is the number of writes in one round.
	watchedWrites = 10
	// deliveryGrace is the time limit for a write to reach every watcher.
	deliveryGrace = time.Minute
)

// measureWatchers measures the time from the sending of a write until the last
// watcher has read its event.
func measureWatchers(o *harness.Owner, clients [2][]*client, s settings) table {
	o.Logf("watchers: %d on each server", watchers)
	var audiences [2]*audience
	benchmark := fmt.Sprintf("Watchers/watchers=%d", watchers)
	o.Within(func(o *harness.Owner) {
		for i := range clients {
			audiences[i] = gather(o, clients[i], watchers, "0")
		}
		for round := range s.rounds + 1 {
			for _, i := range turns(round) {
				var took []float64
				for write := range watchedWrites {
					passed, err := audiences[i].deliver(o.Context(), clients[i][0], fmt.Sprintf("mark-%d-%d-%d", i, round, write))
					o.Check(err)
					took = append(took, passed)
				}
				if round > 0 { // the first warms up
					s.record(o, benchmark, i, watchedWrites, measurement.Values{p50: measurement.Quantile(took, 0.5), slowest: slices.Max(took)})
				}
			}
		}
	})
	return table{
		title: fmt.Sprintf("One write to %d watchers", watchers),
		note: fmt.Sprintf("From the sending of an update until the last of %d watches of all FlowSchemas, on %d connections, has read its event; "+
			"%d updates in each round.", watchers, manyClients, watchedWrites),
		rows: []measurement.Comparison{compare("p50", benchmark, p50, 1), compare("slowest", benchmark, slowest, 1)},
	}
}

// audience is the set of watchers of one server.
type audience struct {
	count int // of its watchers

	mu      sync.Mutex // guards the fields below
	mark    string     // in the awaited event
	missing int        // watchers that have not read it
	all     chan struct{}
	broken  error // why a watch ended early
}

// gather opens count watches, which begin with what has changed since a resource version;
// "0" begins with all objects.
func gather(o *harness.Owner, clients []*client, count int, since string) *audience {
	a := &audience{count: count}
	ctx, cancel := context.WithCancel(o.Context())
	var running sync.WaitGroup
	o.Cleanup(func() {
		cancel()
		running.Wait()
	})
	for i := range count {
		response, err := clients[i%len(clients)].send(ctx, traffic.Request{Path: collection + "?watch=true&timeoutSeconds=3600&resourceVersion=" + since})
		o.Check(err)
		running.Go(func() {
			defer func() { _ = response.Body.Close() }()
			lines := bufio.NewScanner(response.Body)
			lines.Buffer(nil, 1<<20)
			read := ""
			for lines.Scan() {
				read = a.read(lines.Bytes(), read)
			}
			a.ended(errors.Join(errors.New("a watch ended"), lines.Err()))
		})
	}
	return a
}

// deliver sends a write and returns the seconds until every watcher has read
// its event.
func (a *audience) deliver(ctx context.Context, c *client, mark string) (float64, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, deliveryGrace, fmt.Errorf("not every watcher has its event after %v", deliveryGrace))
	defer cancel()
	all := make(chan struct{})
	a.mu.Lock()
	a.mark, a.missing, a.all = mark, a.count, all
	broken := a.broken
	a.mu.Unlock()
	if broken != nil {
		return 0, broken
	}
	name := traffic.NameOfFilled(0)
	begin := time.Now()
	if err := c.do(ctx, http.MethodPut, collection+"/"+name, flowSchema(name, "bench", mark, 8000)); err != nil {
		return 0, err
	}
	select {
	case <-all:
		return time.Since(begin).Seconds(), nil
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	}
}

// read takes an event of a watcher and the mark that the watcher read last. It
// returns the mark of this event. A later event of the same object, such as a
// status update, carries the same mark and does not count again.
func (a *audience) read(event []byte, last string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.missing == 0 || a.mark == last || !bytes.Contains(event, []byte(a.mark)) {
		return last
	}
	a.missing--
	if a.missing == 0 {
		close(a.all)
	}
	return a.mark
}

// ended keeps the reason of the first watch that ended.
func (a *audience) ended(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.broken == nil {
		a.broken = err
	}
}
