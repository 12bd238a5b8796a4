package watchmodel_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/storage/cacher"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel/observe"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the writers' and watchers' choices; 0: a new one")

const (
	// writes is how many writes are made in all.
	writes = 800
	// writerCount is how many write at a time.
	writerCount = 4
	// grace is how long something that must happen may take on a slow machine.
	grace = 4 * time.Minute
	// laterInterval separates two requests of one who is asked to come back later.
	laterInterval = 100 * time.Millisecond
	// kept is how long a server keeps a change for watchers at least, the library's
	// DefaultEventFreshDuration.
	kept = cacher.DefaultEventFreshDuration

	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"
)

// TestWatchersSeeTheTruth lets writers change both resources in both versions
// while watchers of every kind follow, are cut off and come back, etcd is
// compacted, and the server is killed and started again. The model then compares
// all that anyone was told with etcd's own history.
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
	progress *progress // of the writes
	outage   *outage
	past     *past
	stop     context.CancelCauseFunc // ends the run
}

// errFault says why a run was ended early.
var errFault = errors.New("there was a fault")

// failf reports a fault and ends the run: what follows a fault tells little.
func (s *stress) failf(t *testing.T, format string, arguments ...any) {
	t.Helper()
	t.Errorf(format, arguments...)
	s.stop(errFault)
}

func newStress(t *testing.T, server *harness.Server) *stress {
	t.Helper()
	s := &stress{server: server, store: server.Store(t), seed: *seedFlag, progress: newProgress(), outage: newOutage(), past: &past{}}
	if s.seed == 0 {
		s.seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d; choose the same again with -seed=%d", s.seed, s.seed)
	s.past.keptUntil.Store(new(server.Process.Started.Add(kept)))
	s.clients = &clients{config: server.Config(t)}
	var err error
	s.recorder, err = observe.Record(t.Context(), s.store, storePrefix, flowSchemas, priorityLevels)
	require.NoError(t, err)
	return s
}

// random is a source of choices of its own for each that chooses.
func (s *stress) random(who int) *rand.Rand { return rand.New(rand.NewPCG(s.seed, uint64(who))) }

func (s *stress) run(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeoutCause(t.Context(), grace, fmt.Errorf("not done within %v", grace))
	defer cancel()
	ctx, s.stop = context.WithCancelCause(ctx)
	context.AfterFunc(ctx, s.progress.finish) // so that nobody waits for writes that do not come
	defer s.stop(nil)

	watchers := s.watchers(t)
	var watching, writing sync.WaitGroup
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

	terminated := s.terminated(ctx, t)
	t.Logf("the server gave up %d watchers that were too slow", terminated)
	require.Positive(t, terminated, "no watcher was slow")
	histories, err := s.recorder.Finish(ctx)
	require.NoError(t, err)
	check(t, histories, watchers)
}

// disturb does to server and store what they must withstand, while writes go on.
func (s *stress) disturb(ctx context.Context, t *testing.T) {
	t.Helper()
	for i, act := range []func(context.Context, *testing.T){s.kill, s.compactAndKill, s.compact, s.compact, s.compact} {
		s.progress.wait((i + 1) * writes / 7)
		if ctx.Err() != nil {
			return
		}
		act(ctx, t)
	}
}

// compact makes etcd forget all up to the last change recorded.
func (s *stress) compact(ctx context.Context, t *testing.T) {
	t.Helper()
	revision := s.recorder.Seen()
	s.awaitCaches(ctx, t, revision)
	s.past.compacted.Store(revision)
	_, err := s.store.Compact(ctx, revision, clientv3.WithCompactPhysical())
	require.NoError(t, err)
}

// awaitCaches waits until the server has read all changes up to a revision: what
// etcd forgets before, the server can only list anew, and its watchers with it.
func (s *stress) awaitCaches(ctx context.Context, t *testing.T, revision int64) {
	t.Helper()
	client, err := s.clients.new(options{version: v1, contentType: jsonType})
	require.NoError(t, err)
	for _, resource := range []string{flowSchemas, priorityLevels} {
		require.NoError(t, wait.PollUntilContextCancel(ctx, laterInterval, true, func(ctx context.Context) (bool, error) {
			return client.Get().Resource(resource).Param("resourceVersion", strconv.FormatInt(revision, 10)).Do(ctx).Error() == nil, nil
		}))
	}
}

// kill ends the server as kill -9 does, and starts it again.
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

// terminated counts the watchers that the server, since its last start, has ended
// because they did not read.
func (s *stress) terminated(ctx context.Context, t *testing.T) int {
	t.Helper()
	client, err := s.clients.new(options{version: v1, contentType: jsonType})
	require.NoError(t, err)
	metrics, err := client.Get().AbsPath("/metrics").DoRaw(ctx)
	require.NoError(t, err)
	total := 0
	for _, line := range regexp.MustCompile(`(?m)^apiserver_terminated_watchers_total.* (\d+)$`).FindAllSubmatch(metrics, -1) {
		count, err := strconv.Atoi(string(line[1]))
		require.NoError(t, err)
		total += count
	}
	return total
}

// check lets the model judge, and sees that what should be judged happened.
func check(t *testing.T, histories map[string]*watchmodel.History, watchers []*watcher) {
	t.Helper()
	var all figures
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
		all.add(w.figures)
	}
	for resource, history := range histories {
		t.Logf("%s: %d changes", resource, history.Len())
		// Two of three writes change something, and each resource gets a half of them.
		require.Greater(t, history.Len(), writes/8, "the writers did little")
	}
	t.Logf("%+v", all)
	require.Positive(t, all.Events)
	require.Positive(t, all.Bookmarks, "no bookmark was judged")
	require.Positive(t, all.Cut, "no connection was cut")
	require.Positive(t, all.Ended, "no connection was ended by the server")
	require.Positive(t, all.Expired, "no version was asked for that is gone")
	require.Positive(t, all.Compared, "no state was compared with a list of its version")
}
