package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/storage/etcd3/metrics"
	"k8s.io/apiserver/pkg/storage/storagebackend"
)

// openMonitor is a metrics.Monitor that counts how often it is closed.
type openMonitor struct{ closed *int }

func (openMonitor) Monitor(context.Context) (metrics.StorageMetrics, error) {
	return metrics.StorageMetrics{}, nil
}

func (m openMonitor) Close() error {
	*m.closed++
	return nil
}

func TestScrapeDoesNotWaitForAnEtcdThatDoesNotRespond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closed, begin := 0, time.Now()
		configs := []storagebackend.Config{{Prefix: "responds"}, {Prefix: "hangs"}}
		monitors, err := storageMonitors(configs, func(config storagebackend.Config) (metrics.Monitor, error) {
			if config.Prefix == "hangs" {
				time.Sleep(20 * time.Second) // virtual
			}
			return openMonitor{&closed}, nil
		}, time.Second)
		require.EqualError(t, err, "etcd does not respond: its size is unknown")
		require.Empty(t, monitors)
		require.Equal(t, time.Second, time.Since(begin))
		require.Equal(t, 1, closed, "the connection that was open")
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 2, closed, "the connection that came late")
	})
}

func TestScrapeHasAMonitorOfEachStore(t *testing.T) {
	closed := 0
	configs := []storagebackend.Config{{}, {}}
	monitors, err := storageMonitors(configs, func(storagebackend.Config) (metrics.Monitor, error) { return openMonitor{&closed}, nil }, time.Minute)
	require.NoError(t, err)
	require.Len(t, monitors, 2)
	require.Zero(t, closed)

	refused := errors.New("connection refused")
	_, err = storageMonitors(configs, func(storagebackend.Config) (metrics.Monitor, error) { return nil, refused }, time.Minute)
	require.ErrorIs(t, err, refused)
}
