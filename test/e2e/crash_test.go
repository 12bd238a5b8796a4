package e2e

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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestCrash ends a process in the middle of writes and looks afterwards for
// each write that was acknowledged.
func TestCrash(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name     string
		external bool
		end      func(t *testing.T, s *site)
		begin    func(t *testing.T, s *site)
	}{
		{
			name: "kill -9 of the server with its embedded etcd",
			end:  func(t *testing.T, s *site) { t.Helper(); s.Kill(t) }, begin: func(t *testing.T, s *site) { t.Helper(); s.Start(t) },
		},
		{
			name: "stop of the server with its embedded etcd",
			end:  func(t *testing.T, s *site) { t.Helper(); s.Stop(t) }, begin: func(t *testing.T, s *site) { t.Helper(); s.Start(t) },
		},
		{
			name: "kill -9 of the server on an etcd process", external: true,
			end: func(t *testing.T, s *site) { t.Helper(); s.Kill(t) }, begin: func(t *testing.T, s *site) { t.Helper(); s.Start(t) },
		},
		{
			name: "kill -9 of the etcd process", external: true,
			end: func(t *testing.T, s *site) { t.Helper(); s.etcd.Kill(t) }, begin: func(t *testing.T, s *site) { t.Helper(); s.etcd.Start(t); s.waitReady(t) },
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var etcd *harness.Etcd
			if test.external {
				etcd = startEtcd(t)
			}
			s := startSite(t, etcd)
			writers := startWriters(t, s)
			eventually(t, "the writers are in full swing", func(context.Context) (bool, error) {
				return writers.acknowledged.Load() >= 200, nil
			})
			test.end(t, s)
			writers.stop()
			test.begin(t, s)
			writers.check(t, s)

			// All there and not twice: and writes go on.
			s.createLevel(t, newLevel("afterwards", 1))
			_, err := s.levels().Get(t.Context(), "catch-all", metav1.GetOptions{})
			require.NoError(t, err)
		})
	}
}

func (s *site) waitReady(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), grace)
	defer cancel()
	require.NoError(t, s.WaitReady(ctx))
}

// writers write as fast as they can until they are stopped.
type writers struct {
	acknowledged atomic.Int64
	cancel       context.CancelFunc
	group        sync.WaitGroup
	ledgers      []*ledger
}

// ledger is what one writer was told. It makes levels with generated names, and
// counts up the shares of one of its own.
type ledger struct {
	name       string
	created    map[string]types.UID
	tried      int // creations begun
	generation int64
}

func startWriters(t *testing.T, s *site) *writers {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	w := &writers{cancel: cancel}
	t.Cleanup(w.stop)
	for i := range 6 {
		ledger := &ledger{name: fmt.Sprintf("writer-%d", i), created: map[string]types.UID{}}
		ledger.generation = s.createLevel(t, newLevel(ledger.name, 1)).Generation
		w.ledgers = append(w.ledgers, ledger)
		w.group.Go(func() {
			for ledger.write(ctx, s.client) == nil {
				w.acknowledged.Add(2)
			}
		})
	}
	return w
}

// stop waits until nobody writes any more.
func (w *writers) stop() {
	w.cancel()
	w.group.Wait()
}

// write creates one level and changes another, and keeps what was acknowledged.
// It ends with the first error: one write of each writer may be in doubt.
func (l *ledger) write(ctx context.Context, client versioned.Interface) error {
	levels := client.FlowcontrolV1().PriorityLevelConfigurations()
	level := newLevel("", 1)
	level.GenerateName = l.name + "-"
	level.Labels = map[string]string{"writer": l.name}
	l.tried++
	created, err := levels.Create(ctx, level, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	l.created[created.Name] = created.UID

	changed, err := levels.Update(ctx, newLevel(l.name, int32(l.generation%100)+2), metav1.UpdateOptions{})
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
