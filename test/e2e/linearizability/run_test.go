package linearizability_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/linearizability"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/watchmodel/observe"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/lane"
)

const (
	resource    = "prioritylevelconfigurations" // nobody but the clients here writes these objects
	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"

	// clientCount is how many clients there are; half of them work on one object,
	// the others on ten.
	clientCount = 8
	// most is how many times as many operations a client may make until each result
	// that is wanted has come up.
	most = 10
)

// operations is how many each client makes at least.
func operations() int { return lane.Pick(150, 1500) }

// patience is how long the judgement of one object may take.
func patience() time.Duration { return lane.Pick(time.Minute, 10*time.Minute) }

// undecidedAtMost is how many objects may be too hard to judge, which says nothing
// against them: one, the object of half of the clients, on a machine that is busy.
func undecidedAtMost() int { return lane.Pick(1, 0) }

// TestOperationsAreLinearizable lets clients create, update, patch, apply, delete
// and read, while servers and etcd are killed and started again, and has the
// model judge every answer.
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

// replica is a server and the way to it.
type replica struct {
	*harness.Server
	http *http.Client
	// life counts its starts.
	life atomic.Int64
	gate gate
}

// run is a history in the making.
type run struct {
	replicas []*replica
	recorder *observe.Recorder
	history  *linearizability.History
	seed     uint64
	token    atomic.Int64 // the last one given out
	made     *made        // operations so far
	outcomes outcomes     // of the operations so far
	// newest is the highest version that any client has been told of.
	newest atomic.Int64

	mutex sync.Mutex
	lists []watchmodel.List // guarded by mutex
	reads []watchmodel.Read // guarded by mutex
}

func newRun(t *testing.T, servers ...*harness.Server) *run {
	t.Helper()
	r := &run{history: linearizability.NewHistory(), seed: lane.Seed(t), made: newMade()}
	for _, server := range servers {
		client, err := rest.HTTPClientFor(server.Config(t))
		require.NoError(t, err)
		replica := &replica{Server: server, http: client}
		replica.gate.open()
		r.replicas = append(r.replicas, replica)
	}
	var err error
	r.recorder, err = observe.Record(t.Context(), servers[0].Store(t), storePrefix, "flowschemas", resource)
	require.NoError(t, err)
	return r
}

// run makes the history, with a disturbance after each equal part of it, and
// judges it.
func (r *run) run(t *testing.T, disturbances ...func(*testing.T, *run)) {
	t.Helper()
	budget := lane.Pick(eventually.Grace, 6*eventually.Grace)
	ctx, cancel := context.WithTimeoutCause(t.Context(), budget, fmt.Errorf("not done within %v", budget))
	defer cancel()
	var clients sync.WaitGroup
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
	r.judge(ctx, t)
}

// readAll reads each object once more, so that what was lost is missed.
func (r *run) readAll(ctx context.Context, t *testing.T) {
	t.Helper()
	last := newClient(t, r, clientCount)
	for _, replica := range r.replicas {
		for _, name := range append([]string{alone}, ofTen()...) {
			last.operate(ctx, replica, linearizability.Input{Kind: linearizability.Read, Name: name})
		}
	}
}

// judge has the models look at everything.
func (r *run) judge(ctx context.Context, t *testing.T) {
	t.Helper()
	histories, err := r.recorder.Finish(ctx)
	require.NoError(t, err)
	truth := histories[resource]
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

// restart kills a server and starts it again.
func (r *run) restart(t *testing.T, number int) {
	t.Helper()
	replica := r.replicas[number]
	replica.gate.close()
	replica.Kill(t)
	replica.Start(t)
	replica.life.Add(1)
	replica.gate.open()
}

// restartEtcd kills etcd under all servers and starts it again.
func (r *run) restartEtcd(t *testing.T, etcd *harness.Etcd) {
	t.Helper()
	for _, replica := range r.replicas {
		replica.gate.close()
	}
	etcd.Kill(t)
	etcd.Start(t)
	for _, replica := range r.replicas {
		require.NoError(t, replica.WaitReady(t.Context()))
		replica.life.Add(1) // its cache may begin anew
		replica.gate.open()
	}
}

// random is a source of choices of its own for each client.
func (r *run) random(who int) *rand.Rand { return rand.New(rand.NewPCG(r.seed, uint64(who))) }
