package store

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage/etcd3/metrics"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

// openMonitor is a metrics.Monitor that counts how often it and others are closed.
type openMonitor struct{ closed *atomic.Int64 }

func (openMonitor) Monitor(context.Context) (metrics.StorageMetrics, error) {
	return metrics.StorageMetrics{}, nil
}

func (m openMonitor) Close() error {
	m.closed.Add(1)
	return nil
}

func TestScrapeDoesNotWaitForAnEtcdThatDoesNotRespond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var closed atomic.Int64
		begin := time.Now()
		configs := []storagebackend.Config{{Prefix: "responds"}, {Prefix: "hangs"}}
		monitors, err := storageMonitors(configs, func(config storagebackend.Config) (metrics.Monitor, error) {
			if config.Prefix == "hangs" {
				<-time.After(20 * time.Second) // virtual
			}
			return openMonitor{&closed}, nil
		}, time.Second)
		require.EqualError(t, err, "etcd does not respond: its size is unknown")
		require.Empty(t, monitors)
		require.Equal(t, time.Second, time.Since(begin))
		require.EqualValues(t, 1, closed.Load(), "the connection that was open")
		<-time.After(time.Minute) // virtual
		synctest.Wait()
		require.EqualValues(t, 2, closed.Load(), "the connection that came late")
	})
}

func TestScrapeHasAMonitorOfEachStore(t *testing.T) {
	var closed atomic.Int64
	configs := []storagebackend.Config{{}, {}}
	monitors, err := storageMonitors(configs, func(storagebackend.Config) (metrics.Monitor, error) { return openMonitor{&closed}, nil }, time.Minute)
	require.NoError(t, err)
	require.Len(t, monitors, 2)
	require.Zero(t, closed.Load())

	rejected := errors.New("connection refused")
	_, err = storageMonitors(configs, func(storagebackend.Config) (metrics.Monitor, error) { return nil, rejected }, time.Minute)
	require.ErrorIs(t, err, rejected)
}

func TestEtcdIsUnavailableIfItsCheckFailsOrTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			takes time.Duration
			err   error
			want  bool
		}{
			"it passes":        {time.Second, nil, true},
			"it fails":         {time.Second, errors.New("no quorum"), false},
			"it takes 20 s":    {20 * time.Second, nil, false},
			"it fails at once": {0, errors.New("no quorum"), false},
		} {
			check := healthz.NamedCheck("etcd", func(*http.Request) error {
				<-time.After(c.takes) // virtual
				return c.err
			})
			begin := time.Now()
			require.Equal(t, c.want, passes(check, 3*time.Second), name)
			require.LessOrEqual(t, time.Since(begin), 3*time.Second, name)
		}
		<-time.After(time.Minute) // virtual
	})
}
