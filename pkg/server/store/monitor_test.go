package store

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/healthz"
	"k8s.io/apiserver/pkg/storage/etcd3/metrics"
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
		_, err := within(time.Second, func() (metrics.Monitor, error) {
			<-time.After(20 * time.Second) // virtual
			return openMonitor{&closed}, nil
		}, closeMonitor)
		require.EqualError(t, err, "etcd does not respond in time")
		require.Equal(t, time.Second, time.Since(begin))
		<-time.After(time.Minute) // virtual
		synctest.Wait()
		require.EqualValues(t, 1, closed.Load(), "the connection that came late")
	})
}

func TestEtcdIsUnavailableIfItsCheckFailsOrTakesTooLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, c := range map[string]struct {
			takes time.Duration
			err   error
			want  float64
		}{
			"it passes":        {time.Second, nil, 1},
			"it fails":         {time.Second, errors.New("no quorum"), 0},
			"it takes 20 s":    {20 * time.Second, nil, 0},
			"it fails at once": {0, errors.New("no quorum"), 0},
		} {
			check := healthz.NamedCheck("etcd", func(*http.Request) error {
				<-time.After(c.takes) // virtual
				return c.err
			})
			begin := time.Now()
			require.InDelta(t, c.want, testutil.ToFloat64(Availability(check)), 0, name)
			require.LessOrEqual(t, time.Since(begin), 3*time.Second, name)
		}
		<-time.After(time.Minute) // virtual
	})
}
