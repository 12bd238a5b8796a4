package linearizability_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/linearizability"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/linearizability/apiclient"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/histories"
)

const (
	resource    = apiclient.Resource // only the clients of this test write these objects
	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"

	// clientCount is the number of clients. Half of them use one object, the others
	// ten.
	clientCount = 8
	// most limits the operations of a client, as a multiple of operations(). Clients
	// continue until each wanted outcome has occurred.
	most = 10
)

// operations returns the minimum number of operations of each client.
func operations() int { return lane.Pick(150, 1500) }

// patience is the maximum time to check one object.
func patience() time.Duration { return lane.Pick(time.Minute, 10*time.Minute) }

// undecidedAtMost is the maximum number of undecided objects, which are not
// errors. On a busy machine, the object of half of the clients may take too long
// to check.
func undecidedAtMost() int { return lane.Pick(1, 0) }

// TestOperationsAreLinearizable creates, updates, patches, applies, deletes and
// reads objects while servers and etcd are killed and restarted, and watchers follow.
// The models check every answer and every event.
func TestOperationsAreLinearizable(t *testing.T) {
	t.Parallel()
	t.Run("with the embedded etcd, killed with the server", func(t *testing.T) {
		t.Parallel()
		server := harness.StartServer(t, harness.ServerOptions{})
		newRun(t, server).run(t, func(t *testing.T, r *run) { t.Helper(); r.restart(t, 0) }, func(t *testing.T, r *run) { t.Helper(); r.restart(t, 0) })
	})
	t.Run("with two servers on one etcd, each killed", func(t *testing.T) {
		t.Parallel()
		etcd := harness.StartEtcd(t, harness.EtcdOptions{Fsync: true})
		first := harness.StartServer(t, harness.ServerOptions{Etcd: etcd})
		second := harness.StartServer(t, harness.ServerOptions{Etcd: etcd})
		newRun(t, first, second).run(t,
			func(t *testing.T, r *run) { t.Helper(); r.restart(t, 0) },
			func(t *testing.T, r *run) { t.Helper(); r.restartEtcd(t, etcd) },
			func(t *testing.T, r *run) { t.Helper(); r.restart(t, 1) })
	})
}

// replica is a server and its client.
type replica struct {
	*harness.Server
	api apiclient.Server
	// life counts the starts of the server.
	life atomic.Int64
	gate gate
}

// run records a history.
type run struct {
	replicas []*replica
	recorder *histories.Recorder
	history  *linearizability.History
	seed     uint64
	token    atomic.Int64 // the last one used
	made     *made        // operations so far
	outcomes outcomes     // of the operations so far
	// newest is the highest version that any client knows.
	newest atomic.Int64

	mutex sync.Mutex
	lists []histories.List // guarded by mutex
	reads []histories.Read // guarded by mutex
}

func newRun(t *testing.T, servers ...*harness.Server) *run {
	t.Helper()
	r := &run{history: linearizability.NewHistory(), seed: lane.Seed(t), made: newMade()}
	for _, server := range servers {
		client, err := rest.HTTPClientFor(server.Config(t))
		require.NoError(t, err)
		replica := &replica{Server: server, api: apiclient.Server{URL: server.URL, HTTP: client}}
		replica.gate.open()
		r.replicas = append(r.replicas, replica)
	}
	var err error
	r.recorder, err = histories.Record(t.Context(), servers[0].Store(t), storePrefix, "flowschemas", resource)
	require.NoError(t, err)
	return r
}

// run records the history, with a disturbance after each equal part, and checks
// it.
func (r *run) run(t *testing.T, disturbances ...func(*testing.T, *run)) {
	t.Helper()
	budget := lane.Pick(eventually.Grace, 6*eventually.Grace)
	ctx, cancel := context.WithTimeoutCause(t.Context(), budget, fmt.Errorf("not done within %v", budget))
	defer cancel()
	var clients, watching sync.WaitGroup
	watchers := r.watchers(t)
	watchCtx, end := context.WithCancel(ctx)
	for _, w := range watchers {
		watching.Go(func() { w.follow(watchCtx) })
	}
	defer watching.Wait()
	defer end()
	for i := range clientCount {
		clients.Go(func() {
			defer r.made.finish(operations())
			newClient(t, r, i).work(ctx)
		})
	}
	defer clients.Wait()
	defer cancel()
	for i, disturb := range disturbances {
		r.made.wait((i + 1) * clientCount * operations() / (len(disturbances) + 1))
		disturb(t, r)
	}
	clients.Wait()
	require.NoError(t, context.Cause(ctx))
	r.readAll(ctx, t)
	r.awaitWatchers(ctx, t, watchers)
	end()
	watching.Wait()
	r.judge(ctx, t, watchers)
}

// readAll reads each object once more, to detect lost writes.
func (r *run) readAll(ctx context.Context, t *testing.T) {
	t.Helper()
	last := newClient(t, r, clientCount)
	for _, replica := range r.replicas {
		for _, name := range append([]string{alone}, ofTen()...) {
			last.operate(ctx, replica, linearizability.Input{Kind: linearizability.Read, Name: name})
		}
	}
}

// judge checks all answers with the models.
func (r *run) judge(ctx context.Context, t *testing.T, watchers []*watcher) {
	t.Helper()
	recorded, err := r.recorder.Finish(ctx)
	require.NoError(t, err)
	truth := recorded[resource]
	for _, w := range watchers {
		if err := w.judge(truth); err != nil {
			t.Errorf("%s: %v", w.name, err)
		}
	}
	for _, list := range r.lists {
		if err := truth.CheckList(list); err != nil {
			t.Errorf("%v", err)
		}
	}
	for _, read := range r.reads {
		if err := truth.CheckRead(read); err != nil {
			t.Errorf("%v", err)
		}
	}
	all := r.history.Operations()
	t.Logf("%d operations, %d lists, %d reads from the cache; %v", len(all), len(r.lists), len(r.reads), &r.outcomes)
	require.Empty(t, r.outcomes.missing(), "results that never came up in %d operations", len(all))
	require.NotEmpty(t, r.lists)
	require.NotEmpty(t, r.reads)
	undecided, err := linearizability.Check(all, patience(), t.ArtifactDir())
	require.NoError(t, err, "run the test with -artifacts to keep the page")
	require.LessOrEqual(t, len(undecided), undecidedAtMost(), "not judged within %v, neither right nor wrong: %v", patience(), undecided)
	if len(undecided) > 0 {
		t.Logf("not judged within %v, neither right nor wrong: %v", patience(), undecided)
	}
}

// restart kills a server and restarts it.
func (r *run) restart(t *testing.T, number int) {
	t.Helper()
	replica := r.replicas[number]
	replica.gate.close()
	replica.Kill(t)
	replica.Start(t)
	replica.life.Add(1)
	replica.gate.open()
}

// restartEtcd kills and restarts etcd while the servers run.
func (r *run) restartEtcd(t *testing.T, etcd *harness.Etcd) {
	t.Helper()
	for _, replica := range r.replicas {
		replica.gate.close()
	}
	etcd.Kill(t)
	etcd.Start(t)
	for _, replica := range r.replicas {
		require.NoError(t, replica.WaitReady(t.Context()))
		replica.life.Add(1) // its cache may be rebuilt
		replica.gate.open()
	}
}

// random returns a separate source of random choices for each client.
func (r *run) random(who int) *rand.Rand { return rand.New(rand.NewPCG(r.seed, uint64(who))) }
