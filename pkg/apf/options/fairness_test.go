package options

import (
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// TestAGreedyClientHardlyDelaysAnother has 50 requests at once of one client, and one after
// another of a second client, each of 50 to 150 ms, and 16 seats. Time is virtual, so five
// minutes of it pass in a second.
func TestAGreedyClientHardlyDelaysAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		random := rand.New(rand.NewPCG(lane.Seed(t), 0))
		work := func() time.Duration {
			mu.Lock()
			defer mu.Unlock()
			return 50*time.Millisecond + time.Duration(random.Int64N(int64(100*time.Millisecond)))
		}
		o := NewOptions()
		o.Seats = 16
		s, f := server(t, o, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
			<-time.After(work())
		}))
		stop, stopped := make(chan struct{}), make(chan error)
		go func() { stopped <- f.Run(stop) }()
		ask := func(name string) {
			r := httptest.NewRequest(http.MethodGet, "/work", nil)
			r.Header.Set(userHeader, name)
			s.Handler.ServeHTTP(httptest.NewRecorder(), r)
		}

		var greedy sync.WaitGroup
		done := make(chan struct{})
		for range 50 {
			greedy.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
						ask("greedy")
					}
				}
			})
		}
		<-time.After(30 * time.Second) // their priority level borrows what others do not need
		var times []time.Duration
		for range 200 {
			start := time.Now()
			ask("patient")
			times = append(times, time.Since(start))
		}
		close(done)
		greedy.Wait()
		close(stop)
		require.NoError(t, <-stopped)
		slices.Sort(times)
		require.Less(t, times[100], 130*time.Millisecond, "alone the median is 100 ms")
		require.Less(t, times[198], 195*time.Millisecond, "alone the 99th percentile is 149 ms")
	})
}
