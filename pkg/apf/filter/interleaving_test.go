package filter

import (
	"context"
	"math/rand/v2"
	"net/http"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// TestNothingIsLeftWhateverRequestsDo lets requests of all sorts meet: served,
// waiting, leaving, refused, watching, panicking.
func TestNothingIsLeftWhateverRequestsDo(t *testing.T) {
	for _, discipline := range []queueset.Discipline{queueset.Reject, queueset.Queue} {
		t.Run(discipline.String(), func(t *testing.T) {
			defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
			const limit, clients, each = 4, 24, 150
			s := newSite(t, discipline, limit)
			var executing, served, refused, panicked atomic.Int64
			handler := s.before(func(_ http.ResponseWriter, r *http.Request) {
				watch := infoOf(r).Verb == "watch"
				if !watch {
					assert.LessOrEqual(t, executing.Add(1), int64(limit))
					defer executing.Add(-1)
				}
				for range rand.IntN(4) {
					runtime.Gosched()
				}
				if watch {
					signalSomehow(r)
				}
				if rand.IntN(8) == 0 {
					panicked.Add(1)
					panic(http.ErrAbortHandler)
				}
				served.Add(1)
			})
			var running sync.WaitGroup
			for range clients {
				running.Go(func() {
					for range each {
						if askSomehow(s, handler) == http.StatusTooManyRequests {
							refused.Add(1)
						}
					}
				})
			}
			running.Wait()

			assert.EqualValues(t, clients*each, served.Load()+refused.Load()+panicked.Load(), "each once")
			assert.Positive(t, served.Load()*refused.Load()*panicked.Load(), "all of them happened")
			require.Eventually(t, func() bool { return s.gauges.now() == counts{} }, time.Minute, time.Millisecond)
			s.requireIdle()
			assertBooks(t, s.series("everybody"), served.Load()+panicked.Load(), refused.Load())
		})
	}
}

func assertBooks(t *testing.T, series *stats.Snapshot, executed, refused int64) {
	t.Helper()
	assert.EqualValues(t, executed, series.Dispatched)
	assert.EqualValues(t, executed, series.ExecutionRegular.Count()+series.ExecutionWatch.Count())
	total := uint64(0)
	for _, n := range series.Rejected {
		total += n
	}
	assert.EqualValues(t, refused, total)
}

// signalSomehow does what storage may do with a watch.
func signalSomehow(r *http.Request) {
	switch rand.IntN(4) {
	case 0: // nothing
	case 1:
		flowcontrol.WatchInitialized(r.Context())
	case 2:
		go flowcontrol.WatchInitialized(r.Context())
	case 3:
		for range 3 {
			go flowcontrol.WatchInitialized(r.Context())
		}
		flowcontrol.RequestDelegated(r.Context())
	}
}

// askSomehow sends a request and returns the code of the answer, 0 if the
// handler panicked.
func askSomehow(s *site, handler http.Handler) (code int) {
	r := requestBy(nobody, []string{"get", "create", "watch"}[rand.IntN(3)], "resourceVersion=7")
	ctx, cancel := context.WithTimeout(r.Context(), time.Hour)
	defer cancel()
	if rand.IntN(4) == 0 {
		go cancel()
	}
	defer func() {
		if recover() != nil {
			code = 0
		}
	}()
	return s.ask(handler, r.WithContext(ctx)).Code
}
