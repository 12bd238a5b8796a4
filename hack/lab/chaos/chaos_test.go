package chaos_test

import (
	"context"
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/chaos"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

var (
	faults     = flag.Int("faults", 22, "make at least this number of faults, in the long lane")
	operations = flag.Int("operations", 0, "make faults until this number of operations is acknowledged")
	update     = flag.Bool("update-reliability", false, "write the figures into docs/evidence/reliability.md")
	program    = flag.String("server", "", "the server's binary; empty: this repository's")
)

// patience is the maximum time to judge the operations on one object.
const patience = 2 * time.Minute

// TestChaos breaks servers, etcd and their network in random order while clients read,
// write and watch, and judges all that they were told.
func TestChaos(t *testing.T) { //nolint:tparallel // in the long lane the shapes run one at a time
	if !lane.Long {
		t.Parallel()
	}
	for _, shape := range shapes() {
		t.Run(shape.name, func(t *testing.T) { testChaos(t, shape) })
	}
}

func testChaos(t *testing.T, shape shape) {
	if !lane.Long {
		t.Parallel()
	}
	shape.faults = max(shape.faults, len(shape.kinds)) // a rolling restart among them
	seed := lane.Seed(t)
	budget := 2*eventually.Grace + time.Duration(shape.faults)*30*time.Second + time.Duration(*operations)*100*time.Millisecond
	ctx, cancel := context.WithTimeoutCause(t.Context(), budget, fmt.Errorf("not done within %v", budget))
	defer cancel()
	s := startSite(t, shape)
	s.settle(ctx, t)
	l := newLoad(t, s, seed)
	recorder, journal := l.record(ctx)
	s.createSchemas(ctx, t)

	watchers := l.newWatchers()
	var watching sync.WaitGroup
	defer watching.Wait()
	defer cancel()
	for _, w := range watchers {
		watching.Go(func() { w.run(ctx) })
	}
	stop := sync.OnceFunc(func() { close(l.stop); l.clients.Wait() })
	defer stop()
	l.start(ctx)
	b := &breaker{load: l, t: t, recorder: recorder}
	// More steps than are wanted, for steps that are not possible and for operations.
	b.run(ctx, chaos.Plan(l.random(2000), shape.kinds, 100*shape.faults, max(shape.servers, shape.members)), shape.faults, *operations)
	length := l.now()
	stop()

	require.NoError(t, l.newClient(100, nil).readAll(ctx))
	s.end(ctx, t)
	watching.Wait()
	require.NoError(t, context.Cause(ctx))
	engines := s.engines(ctx, t)
	histories, err := recorder.Finish(ctx)
	require.NoError(t, err)

	run := &chaos.Run{
		Seed: seed, Length: length, Faults: b.faults, Acknowledged: int(l.acknowledged.Load()), Acks: l.acks, Requests: l.requests,
		Rolls: b.rolls, Operations: l.history.Operations(), Lists: l.lists, Reads: l.reads, Engines: engines, Journal: *journal, Histories: histories,
	}
	for _, w := range watchers {
		run.Watchers = append(run.Watchers, w.Watcher)
	}
	err = run.Check(patience, t.ArtifactDir())
	t.Logf("figures:\n%s", run.Report())
	require.NoError(t, err)
	require.NotZero(t, run.Rolled, "no request was judged in a rolling restart")
	require.NotZero(t, run.Acknowledged)
	require.NotEmpty(t, run.Reads)
	require.Empty(t, missing(run.Operations), "results that never came up in %d operations", len(run.Operations))
	if *update {
		require.NoError(t, measurement.Publish("make chaos", "chaos", "docs/evidence/reliability.md", run.Report()))
	}
}

// outcome is a kind of operation with its result.
type outcome struct {
	kind   chaos.Verb
	result chaos.Result
}

// missing returns the outcomes that a meaningful run needs, and has not: success and errors of each
// kind of operation.
func missing(operations []porcupine.Operation) (lacks []outcome) {
	seen := map[outcome]bool{}
	for _, o := range operations {
		seen[outcome{o.Input.(chaos.Input).Verb, o.Output.(chaos.Output).Result}] = true
	}
	for kind, results := range map[chaos.Verb][]chaos.Result{
		chaos.Create: {chaos.Done, chaos.Exists},
		chaos.Update: {chaos.Done, chaos.Absent, chaos.Conflict},
		chaos.Patch:  {chaos.Done, chaos.Absent, chaos.Conflict, chaos.Mismatch},
		chaos.Apply:  {chaos.Done, chaos.Conflict},
		chaos.Delete: {chaos.Done, chaos.Absent, chaos.Conflict},
		chaos.Read:   {chaos.Done, chaos.Absent},
	} {
		for _, result := range results {
			if !seen[outcome{kind, result}] {
				lacks = append(lacks, outcome{kind, result})
			}
		}
	}
	return lacks
}

// record records what etcd stores. The journal may be read when the recorder is
// finished.
func (l *load) record(ctx context.Context) (*histories.Recorder, *chaos.Journal) {
	l.t.Helper()
	journal := &chaos.Journal{}
	began := false
	recorder, err := histories.Record(ctx, l.store, storePrefix, func(stored histories.Write) {
		write, err := chaos.NewWrite(l.now(), stored)
		if err != nil {
			l.t.Errorf("%v", err)
		}
		if began {
			journal.Writes = append(journal.Writes, write)
			return
		}
		journal.First = append(journal.First, write)
	}, chaos.Schemas, chaos.Levels)
	require.NoError(l.t, err)
	began = true
	return recorder, journal
}
