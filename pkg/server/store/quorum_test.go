package store

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/apiserver/pkg/storage"
)

// awayStore is a store in an etcd that has a quorum again after a number of reads.
type awayStore struct {
	storage.Interface
	err            error
	away           int // reads
	reads, watches int
}

func (s *awayStore) GetCurrentResourceVersion(context.Context) (uint64, error) {
	if s.reads++; s.reads <= s.away {
		return 0, s.err
	}
	return 7, nil
}

func (s *awayStore) Watch(context.Context, string, storage.ListOptions) (watch.Interface, error) {
	s.watches++
	return watch.NewFake(), nil
}

func TestAWatchOfTheCacheWaitsUntilEtcdHasAQuorum(t *testing.T) {
	for _, test := range []struct {
		name  string
		err   error
		away  int
		takes time.Duration
	}{
		{"a quorum", nil, 0, 0},
		{"no leader for a while", rpctypes.ErrNoLeader, 5, 5 * quorumInterval},
		{"no answer for a while", context.DeadlineExceeded, 2, 2 * quorumInterval},
		{"an error that waiting does not mend", rpctypes.ErrPermissionDenied, 5, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				away := &awayStore{err: test.err, away: test.away}
				start := time.Now()
				_, err := quorumStore{Interface: etcdStore{away, statuses{}}, stopped: t.Context()}.Watch(t.Context(), "key", storage.ListOptions{})
				require.NoError(t, err)
				require.Equal(t, test.takes, time.Since(start))
				require.Equal(t, 1, away.watches)
			})
		})
	}
}

func TestAStopEndsAWatchThatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		away := &awayStore{err: rpctypes.ErrNoLeader, away: 1000}
		stopped, stop := context.WithCancel(t.Context())
		time.AfterFunc(10*time.Second, stop)
		_, err := quorumStore{Interface: etcdStore{away, statuses{}}, stopped: stopped}.Watch(t.Context(), "key", storage.ListOptions{})
		require.ErrorIs(t, err, context.Canceled)
		require.Zero(t, away.watches)
	})
}
