package maintenance

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/embedded"
)

// valueBytes is the size of the values that fill a store.
const valueBytes = 256 << 10

// filling is an etcd that is filled.
type filling struct {
	*clientv3.Client
	t    testing.TB
	etcd *embedded.Etcd
	dir  *embedded.DataDirectory
}

// start starts an etcd with a quota.
func start(t testing.TB, quota int64) *filling {
	t.Helper()
	dir, err := embedded.OpenDataDirectory(filepath.Join(t.TempDir(), "data"))
	require.NoError(t, err)
	f := &filling{t: t, dir: dir}
	f.open(quota)
	t.Cleanup(func() {
		f.close()
		assert.NoError(t, dir.Close())
	})
	return f
}

func (f *filling) open(quota int64) {
	f.t.Helper()
	etcd, err := embedded.StartEtcd(f.t.Context(), f.dir, embedded.EtcdOptions{Log: logr.Discard(), QuotaBytes: quota})
	require.NoError(f.t, err)
	client, err := etcd.NewClient()
	require.NoError(f.t, err)
	f.etcd, f.Client = etcd, client
}

func (f *filling) close() {
	assert.NoError(f.t, f.Close())
	assert.NoError(f.t, f.etcd.Close(context.Background()))
}

// restart restarts the etcd with another quota.
func (f *filling) restart(quota int64) {
	f.t.Helper()
	f.close()
	f.open(quota)
}

// write writes a large value.
func (f *filling) write(key string) error {
	_, err := f.Put(f.t.Context(), key, strings.Repeat("x", valueBytes))
	return err
}

// fill writes until etcd rejects it. With keys that differ the data fill the store,
// with one key its history.
func (f *filling) fill(key func(i int) string) {
	f.t.Helper()
	for i := 0; ; i++ {
		if err := f.write(key(i)); err != nil {
			require.ErrorIs(f.t, err, rpctypes.ErrNoSpace)
			break
		}
	}
	require.True(f.t, f.etcd.Space().NoSpace)
}

// fillWithData writes until not even a defragmentation makes room.
func (f *filling) fillWithData() {
	f.t.Helper()
	for i := 0; ; i++ {
		f.fill(func(j int) string { return fmt.Sprintf("filler/%d/%d", i, j) })
		result, err := Reclaim(f.t.Context(), f.Client, f.etcd.Space().QuotaBytes)
		require.NoError(f.t, err)
		if !result.Disarmed {
			return
		}
	}
}

func oneKey(int) string { return "filler" }

// newKeeper returns a keeper whose clock the test controls.
func (f *filling) newKeeper() (*SpaceKeeper, *clocktesting.FakeClock) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 1, 31, 4, 0, 0, 0, time.UTC))
	return &SpaceKeeper{
		Client: f.Client, QuotaBytes: f.etcd.Space().QuotaBytes, Clock: clock,
		Log: logr.Discard(), Metrics: NewMetrics(f.etcd.Space),
	}, clock
}

// values returns the metrics by name, and by name and result.
func values(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	registry := prometheus.NewRegistry()
	for _, collector := range m.Collectors() {
		require.NoError(t, registry.Register(collector))
	}
	families, err := registry.Gather()
	require.NoError(t, err)
	values := map[string]float64{}
	for _, family := range families {
		for _, metric := range family.Metric {
			name := strings.TrimPrefix(family.GetName(), "flowcontrol_apiserver_embedded_etcd_")
			for _, label := range metric.Label {
				name += " " + label.GetValue()
			}
			values[name] = metric.GetGauge().GetValue() + metric.GetCounter().GetValue()
		}
	}
	return values
}
