package maintenance

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

func TestAStoreThatItsHistoryFilledAcceptsWritesAfterARound(t *testing.T) {
	f := start(t, embedded.MinQuotaBytes)
	f.fill(oneKey)
	_, err := f.Get(t.Context(), "filler")
	require.NoError(t, err, "reads go on")
	keeper, clock := f.newKeeper()
	assert.Equal(t, 1.0, values(t, keeper.Metrics)["no_space"])

	// What a read still used when the history was removed is free after a later commit.
	eventually.Holds(t, "a round makes room", func(a *eventually.Attempt) {
		require.NoError(a, keeper.round(a.Context()))
		clock.Step(reliefInterval)
		require.NoError(a, f.write("filler"))
	})
	measured := values(t, keeper.Metrics)
	assert.Equal(t, 0.0, measured["no_space"])
	assert.Equal(t, 1.0, measured["defragmentations_total success"])
	assert.Less(t, measured["database_size_bytes"], measured["quota_bytes"]/2)
}

func TestAStoreThatItsDataFilledAcceptsWritesAfterDeletions(t *testing.T) {
	f := start(t, embedded.MinQuotaBytes)
	f.fillWithData()
	keeper, clock := f.newKeeper()
	require.NoError(t, keeper.round(t.Context()))
	require.ErrorIs(t, f.write("another"), rpctypes.ErrNoSpace)
	assert.True(t, f.etcd.Space().NoSpace)

	_, err := f.Delete(t.Context(), "filler/", clientv3.WithPrefix())
	require.NoError(t, err, "deletions go on")
	eventually.Holds(t, "a round after the commit of the deletions makes room", func(a *eventually.Attempt) {
		clock.Step(reliefInterval)
		require.NoError(a, keeper.round(a.Context()))
		require.NoError(a, f.write("another"))
	})
}

func TestAStoreAcceptsWritesAfterAStartWithALargerQuota(t *testing.T) {
	f := start(t, embedded.MinQuotaBytes)
	f.fillWithData()
	// etcd compares the quota with the size of the last commit, so fast writes exceed it far.
	f.restart(4 * f.etcd.Space().SizeBytes)
	require.ErrorIs(t, f.write("another"), rpctypes.ErrNoSpace, "the alarm outlives the start")

	keeper, _ := f.newKeeper()
	require.NoError(t, keeper.round(t.Context()))
	require.NoError(t, f.write("another"))
	assert.Zero(t, values(t, keeper.Metrics)["defragmentations_total success"], "there is no need")
	got, err := f.Get(t.Context(), "filler/0/0")
	require.NoError(t, err)
	assert.Len(t, got.Kvs, 1)
}

func TestReclaimMakesAFullStoreWritable(t *testing.T) {
	f := start(t, embedded.MinQuotaBytes)
	f.fill(oneKey)
	result, err := Reclaim(t.Context(), f.Client, embedded.MinQuotaBytes)
	require.NoError(t, err)
	assert.True(t, result.Compacted)
	assert.True(t, result.Disarmed)
	assert.Less(t, result.After.SizeBytes, result.Before.SizeBytes/2)
	require.NoError(t, f.write("filler"))

	result, err = Reclaim(t.Context(), f.Client, embedded.MinQuotaBytes)
	require.NoError(t, err)
	assert.False(t, result.Compacted, "history is removed in need alone")
	assert.False(t, result.Disarmed)
}

func TestReclaimKeepsTheAlarmWithoutRoom(t *testing.T) {
	for name, quota := range map[string]int64{"of a quota that is known": embedded.MinQuotaBytes, "of a quota that is unknown": 0} {
		t.Run(name, func(t *testing.T) {
			f := start(t, embedded.MinQuotaBytes)
			f.fillWithData()
			result, err := Reclaim(t.Context(), f.Client, quota)
			require.NoError(t, err)
			assert.False(t, result.Disarmed)
			assert.True(t, result.After.NoSpace)
			require.ErrorIs(t, f.write("another"), rpctypes.ErrNoSpace)
		})
	}
}

func TestALargeFileIsDefragmentedOnceAnHour(t *testing.T) {
	f := start(t, 0)
	keeper, clock := f.newKeeper()
	keeper.least = 4 << 20
	for _, test := range []struct {
		step time.Duration
		want float64
	}{{0, 1}, {defragmentInterval - 1, 1}, {1, 2}} {
		if f.etcd.Space().SizeBytes < keeper.least {
			f.growAndCompact(keeper.least)
		}
		clock.Step(test.step)
		require.NoError(t, keeper.round(t.Context()))
		assert.Equal(t, test.want, values(t, keeper.Metrics)["defragmentations_total success"])
	}
	assert.Less(t, f.etcd.Space().SizeBytes, keeper.least)
}

// growAndCompact makes a file of a size, nearly all of it free.
func (f *filling) growAndCompact(size int64) {
	f.t.Helper()
	const value = 1 << 20
	for range size/value + 1 {
		_, err := f.Put(f.t.Context(), "filler", strings.Repeat("x", value))
		require.NoError(f.t, err)
	}
	status, err := f.Status(f.t.Context(), f.Endpoints()[0])
	require.NoError(f.t, err)
	_, err = f.Compact(f.t.Context(), status.Header.Revision, clientv3.WithCompactPhysical())
	require.NoError(f.t, err)
	eventually.Holds(f.t, "etcd has committed what is free", func(a *eventually.Attempt) {
		_, err := f.Put(a.Context(), "filler", "") // pages count as free after the next write
		require.NoError(a, err)
		space := f.etcd.Space()
		require.Greater(a, space.SizeBytes, size)
		require.Less(a, space.InUseBytes, space.SizeBytes/2)
	})
}

func TestAlarmsOfOtherKindsAreNotSpace(t *testing.T) {
	status := &clientv3.StatusResponse{Errors: []string{"memberID:1 alarm:CORRUPT ", "etcdserver: no leader"}}
	assert.Equal(t, []string{"CORRUPT"}, Alarms(status))
	assert.False(t, SpaceOf(status, 1).NoSpace)
}
