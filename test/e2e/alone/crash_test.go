package alone

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// TestCrash ends a process during writes, and then checks each acknowledged write.
func TestCrash(t *testing.T) {
	t.Parallel()
	killServer := crash{"kill -9 of the server", func(t *testing.T, s *site) { t.Helper(); s.Kill(t) }, func(t *testing.T, s *site) { t.Helper(); s.Start(t) }}
	for _, test := range []struct {
		name    string
		etcd    func(*testing.T) *harness.Etcd
		crashes []crash
	}{
		{"with its embedded etcd", func(*testing.T) *harness.Etcd { return nil }, []crash{
			killServer,
			{"stop of the server", func(t *testing.T, s *site) { t.Helper(); s.Stop(t) }, killServer.begin},
		}},
		{"on an etcd process", func(t *testing.T) *harness.Etcd {
			t.Helper()
			return harness.StartEtcd(t, harness.EtcdOptions{Fsync: true})
		}, []crash{
			killServer,
			{
				"kill -9 of the etcd process", func(t *testing.T, s *site) { t.Helper(); s.etcd.Kill(t) },
				func(t *testing.T, s *site) { t.Helper(); s.etcd.Start(t); s.waitServing(t) },
			},
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := startSite(t, test.etcd(t))
			for round, crash := range test.crashes {
				crash.survive(t, s, round)
			}
		})
	}
}

// crash ends a process during writes and starts it again.
type crash struct {
	name       string
	end, begin func(*testing.T, *site)
}

func (c crash) survive(t *testing.T, s *site, round int) {
	t.Helper()
	t.Log(c.name)
	writers := startWriters(t, s, round)
	eventually.Holds(t, "the writers are in full swing", func(a *eventually.Attempt) {
		require.GreaterOrEqual(a, writers.acknowledged.Load(), int64(200))
	})
	c.end(t, s)
	writers.stop()
	c.begin(t, s)
	writers.check(t, s)

	// Every acknowledged write is there once. New writes succeed.
	s.createLevel(t, objects.LevelOf(fmt.Sprintf("afterwards-%d", round), 1))
	_, err := s.levels().Get(t.Context(), "catch-all", metav1.GetOptions{})
	require.NoError(t, err)
}

// writers write as fast as possible until they are stopped.
type writers struct {
	acknowledged atomic.Int64
	cancel       context.CancelFunc
	group        sync.WaitGroup
	ledgers      []*ledger
}

// ledger records the acknowledged writes of one writer. A writer creates levels
// with generated names, and increments the shares of one level.
type ledger struct {
	name       string
	created    map[string]types.UID
	tried      int // number of creates sent
	generation int64
}

func startWriters(t *testing.T, s *site, round int) *writers {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &writers{cancel: cancel}
	t.Cleanup(w.stop)
	for i := range 6 {
		ledger := &ledger{name: fmt.Sprintf("writer-%d-%d", round, i), created: map[string]types.UID{}}
		ledger.generation = s.createLevel(t, objects.LevelOf(ledger.name, 1)).Generation
		w.ledgers = append(w.ledgers, ledger)
		w.group.Go(func() {
			for ledger.write(ctx, s.client) == nil {
				w.acknowledged.Add(2)
			}
		})
	}
	return w
}

// stop ends the writers and waits for them.
func (w *writers) stop() {
	w.cancel()
	w.group.Wait()
}

// write creates one level, changes another, and records what was acknowledged. It
// ends at the first error: the outcome of one write of each writer may be unknown.
func (l *ledger) write(ctx context.Context, client versioned.Interface) error {
	levels := client.FlowcontrolV1().PriorityLevelConfigurations()
	level := objects.LevelOf("", 1)
	level.GenerateName = l.name + "-"
	level.Labels = map[string]string{"writer": l.name}
	l.tried++
	created, err := levels.Create(ctx, level, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	l.created[created.Name] = created.UID

	changed, err := levels.Update(ctx, objects.LevelOf(l.name, int32(l.generation%100)+2), metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	l.generation = changed.Generation
	return nil
}

// check compares what is stored with what was acknowledged.
func (w *writers) check(t *testing.T, s *site) {
	t.Helper()
	for _, ledger := range w.ledgers {
		level, err := s.levels().Get(t.Context(), ledger.name, metav1.GetOptions{})
		require.NoError(t, err)
		require.GreaterOrEqual(t, level.Generation, ledger.generation, "an acknowledged change is lost")
		require.LessOrEqual(t, level.Generation, ledger.generation+1, "a change was made twice")

		list, err := s.levels().List(t.Context(), metav1.ListOptions{LabelSelector: "writer=" + ledger.name})
		require.NoError(t, err)
		stored := map[string]flowcontrolv1.PriorityLevelConfiguration{}
		for _, item := range list.Items {
			stored[item.Name] = item
		}
		for name, uid := range ledger.created {
			require.Contains(t, stored, name, "an acknowledged creation is lost")
			require.Equal(t, uid, stored[name].UID)
		}
		require.LessOrEqual(t, len(stored), ledger.tried, "a creation was made twice")
	}
}
