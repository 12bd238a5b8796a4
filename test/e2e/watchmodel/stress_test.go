package watchmodel_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apiserver/pkg/storage/cacher"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel/observe"
)

const (
	// writerCount is the number of concurrent writers.
	writerCount = 4
	// kept is the minimum time that a server keeps a change for watchers: the library's
	// DefaultEventFreshDuration.
	kept = cacher.DefaultEventFreshDuration

	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"
)

// writes is the minimum number of writes. More follow until everything that the
// test requires has happened.
func writes() int { return lane.Pick(350, 3500) }

// TestWatchersSeeTheTruth changes both resources in both versions while watchers
// of every kind follow, are cut off and reconnect, etcd is compacted, and the
// server is killed and restarted. Then the model compares all answers with etcd's
// history.
func TestWatchersSeeTheTruth(t *testing.T) {
	t.Parallel()
	for name, etcd := range map[string]func(*testing.T) *harness.Etcd{
		"on its embedded etcd": func(*testing.T) *harness.Etcd { return nil },
		"on an etcd process": func(t *testing.T) *harness.Etcd {
			t.Helper()
			return harness.StartEtcd(t, harness.EtcdOptions{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			newStress(t, harness.StartServer(t, harness.ServerOptions{Etcd: etcd(t)})).run(t)
		})
	}
}

// stress is one run.
type stress struct {
	server   *harness.Server
	store    *clientv3.Client
	recorder *observe.Recorder
	seed     uint64
	clients  *clients
	progress *progress     // of the writes
	sleepers *progress     // watchers that have stopped reading
	killed   chan struct{} // closed after the last kill of the server
	enough   chan struct{} // closed when everything that the test requires has happened
	outage   *outage
	past     *past
	figures  figures
	stop     context.CancelCauseFunc // ends the run
}

// errFault is the reason for ending a run early.
var errFault = errors.New("there was a fault")

// failf reports an error and ends the run: later errors may be consequences.
func (s *stress) failf(t *testing.T, format string, arguments ...any) {
	t.Helper()
	t.Errorf(format, arguments...)
	s.stop(errFault)
}

func newStress(t *testing.T, server *harness.Server) *stress {
	t.Helper()
	s := &stress{
		server: server, store: server.Store(t), seed: lane.Seed(t), progress: newProgress(), sleepers: newProgress(),
		killed: make(chan struct{}), enough: make(chan struct{}), outage: newOutage(), past: &past{},
	}
	s.past.keptUntil.Store(new(server.Process.Started.Add(kept)))
	s.clients = &clients{config: server.Config(t)}
	var err error
	s.recorder, err = observe.Record(t.Context(), s.store, storePrefix, flowSchemas, priorityLevels)
	require.NoError(t, err)
	return s
}

// random returns a separate source of random choices for each writer and watcher.
func (s *stress) random(who int) *rand.Rand { return rand.New(rand.NewPCG(s.seed, uint64(who))) }

func (s *stress) run(t *testing.T) {
	t.Helper()
	budget := lane.Pick(eventually.Grace, 6*eventually.Grace)
	ctx, cancel := context.WithTimeoutCause(t.Context(), budget, fmt.Errorf("not done within %v", budget))
	defer cancel()
	ctx, s.stop = context.WithCancelCause(ctx)
	context.AfterFunc(ctx, s.progress.finish) // wakes waiters
	context.AfterFunc(ctx, s.sleepers.finish)

	watchers := s.watchers(t)
	var watching, writing sync.WaitGroup
	defer watching.Wait()
	defer writing.Wait()
	defer s.stop(nil)
	for _, w := range watchers {
		watching.Go(func() { w.run(ctx) })
	}
	for i := range writerCount {
		writing.Go(func() { s.newWriter(t, i).run(ctx) })
	}
	s.disturb(ctx, t)
	writing.Wait()
	s.progress.finish()
	t.Logf("%d writes made", s.progress.now())
	for _, resource := range []string{flowSchemas, priorityLevels} {
		s.newWriter(t, writerCount).end(ctx, resource)
	}
	watching.Wait()
	require.NoError(t, context.Cause(ctx))

	histories, err := s.recorder.Finish(ctx)
	require.NoError(t, err)
	s.check(t, histories, watchers)
}

// disturb kills the server and compacts etcd while writes continue.
func (s *stress) disturb(ctx context.Context, t *testing.T) {
	t.Helper()
	s.sleepers.wait(sleeperCount()) // the version of a watcher that sleeps during the kill expires
	for i, act := range []func(context.Context, *testing.T){s.kill, s.compactAndKill, s.compact, s.compact, s.compact} {
		s.progress.wait((i + 1) * writes() / 7)
		if ctx.Err() != nil {
			return
		}
		act(ctx, t)
		if i == 1 {
			close(s.killed)
		}
	}
	failures := eventually.Within(ctx, func(a *eventually.Attempt) { s.requireAll(a) })
	close(s.enough)
	require.Empty(t, failures, "what is to be judged has not happened: %v", context.Cause(ctx))
}

// requireAll checks that everything that the test requires has happened.
func (s *stress) requireAll(a *eventually.Attempt) {
	assert.Positive(a, s.figures.events.Load())
	assert.Positive(a, s.figures.bookmarks.Load(), "no bookmark came")
	assert.Positive(a, s.figures.cut.Load(), "no connection was cut")
	assert.Positive(a, s.figures.ended.Load(), "no connection was ended by the server")
	assert.Positive(a, s.figures.expired.Load(), "no version was asked for that is gone")
	assert.Positive(a, s.figures.compared.Load(), "no state was compared with a list of its version")
	terminated, err := s.terminated(a.Context())
	require.NoError(a, err)
	assert.Positive(a, terminated, "the server gave up no watcher that was too slow")
}

// compact compacts etcd to the last recorded change, which must be later than the one
// of the last compaction: etcd rejects to compact to the same revision twice.
func (s *stress) compact(ctx context.Context, t *testing.T) {
	t.Helper()
	var revision int64
	require.Empty(t, eventually.Within(ctx, func(a *eventually.Attempt) {
		revision = s.recorder.Seen()
		require.Greater(a, revision, s.past.compacted.Load())
	}))
	s.awaitCaches(ctx, t, revision)
	s.past.compacted.Store(revision)
	_, err := s.store.Compact(ctx, revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
}

// awaitCaches waits until the server has read all changes up to a revision. If
// etcd compacted changes earlier, the server would have to list again, and so
// would its watchers.
func (s *stress) awaitCaches(ctx context.Context, t *testing.T, revision int64) {
	t.Helper()
	client, err := s.clients.new(options{version: v1, contentType: jsonType})
	require.NoError(t, err)
	for _, resource := range []string{flowSchemas, priorityLevels} {
		require.Empty(t, eventually.Within(ctx, func(a *eventually.Attempt) {
			require.NoError(a, client.Get().Resource(resource).Param("resourceVersion", strconv.FormatInt(revision, 10)).Do(a.Context()).Error())
		}))
	}
}

// kill ends the server with SIGKILL and restarts it.
func (s *stress) kill(ctx context.Context, t *testing.T) {
	t.Helper()
	s.outage.begin()
	s.server.Kill(t)
	s.server.Start(t)
	response, err := s.store.Get(ctx, storePrefix)
	require.NoError(t, err)
	s.past.restarted.Store(response.Header.Revision)
	s.past.keptUntil.Store(new(s.server.Process.Started.Add(kept)))
	s.outage.end()
}

func (s *stress) compactAndKill(ctx context.Context, t *testing.T) {
	t.Helper()
	s.compact(ctx, t)
	s.kill(ctx, t)
}

// terminated returns the number of watchers that the server has ended since its
// last start because they did not read.
func (s *stress) terminated(ctx context.Context) (total int, err error) {
	client, err := s.clients.new(options{version: v1, contentType: jsonType})
	if err != nil {
		return 0, err
	}
	metrics, err := client.Get().AbsPath("/metrics").DoRaw(ctx)
	if err != nil {
		return 0, err
	}
	for _, line := range regexp.MustCompile(`(?m)^apiserver_terminated_watchers_total.* (\d+)$`).FindAllSubmatch(metrics, -1) {
		count, err := strconv.Atoi(string(line[1]))
		if err != nil {
			return 0, err
		}
		total += count
	}
	return total, nil
}

// check checks all recorded answers with the model.
func (s *stress) check(t *testing.T, histories map[string]*watchmodel.History, watchers []*watcher) {
	t.Helper()
	for _, w := range watchers {
		history := histories[w.resource]
		for _, list := range w.lists {
			if err := history.CheckList(list); err != nil {
				t.Errorf("%s: %v", w.name, err)
			}
		}
		for i, watch := range w.watches {
			if err := history.CheckWatch(watch); err != nil {
				t.Errorf("%s: connection %d, after version %d, %d events: %v", w.name, i+1, watch.After, len(watch.Events), err)
			}
		}
	}
	for resource, history := range histories {
		t.Logf("%s: %d changes", resource, history.Len())
		// Two of three writes change an object, and each resource gets half of the
		// writes.
		require.Greater(t, history.Len(), writes()/8, "the writers did little")
	}
	t.Logf("%v", &s.figures)
}
