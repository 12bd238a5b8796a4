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
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

// outcomes counts the outcomes of requests.
type outcomes struct{ sent, served, rejected, panicked atomic.Int64 }

func (o *outcomes) seenAll() bool {
	return o.served.Load() > 0 && o.rejected.Load() > 0 && o.panicked.Load() > 0
}

// TestNothingIsLeftWhateverRequestsDo mixes all kinds of requests: served,
// waiting, cancelled, rejected, watching, panicking. The scheduler chooses the
// interleavings, so the test continues until every outcome occurred.
func TestNothingIsLeftWhateverRequestsDo(t *testing.T) {
	for _, discipline := range []queueset.Discipline{queueset.Reject, queueset.Queue} {
		t.Run(discipline.String(), func(t *testing.T) {
			defer leaks.None(t)()
			const limit, clients, each, mostRounds = 4, 24, 150, 1000
			seed, rounds := lane.Seed(t), uint64(0)
			s := newSite(t, discipline, limit)
			var got outcomes
			handler := s.before(handle(t, limit, &got))
			for rounds < lane.Pick[uint64](1, 100) || !got.seenAll() {
				require.Less(t, rounds, uint64(mostRounds), "some outcome never comes")
				var running sync.WaitGroup
				for i := range clients {
					random := rand.New(rand.NewPCG(seed, rounds*clients+uint64(i)))
					running.Go(func() {
						for range each {
							s.askSomehow(handler, courseOf(random), &got)
						}
					})
				}
				running.Wait()
				rounds++
			}

			assert.Equal(t, got.sent.Load(), got.served.Load()+got.rejected.Load()+got.panicked.Load(), "each once")
			s.requireIdle()
			assertBooks(t, s.series("everybody"), got.served.Load()+got.panicked.Load(), got.rejected.Load())
		})
	}
}

// course is the behavior of one request.
type course struct {
	verb          string
	leaves        bool
	yields        int
	signal, panic int
}

func courseOf(random *rand.Rand) course {
	return course{
		verb:   []string{"get", "create", "watch"}[random.IntN(3)],
		leaves: random.IntN(4) == 0,
		yields: random.IntN(4),
		signal: random.IntN(4),
		panic:  random.IntN(8),
	}
}

// courseKey is the context key of a request's course.
type courseKey struct{}

// handle follows the course of each request and counts its outcome.
func handle(t *testing.T, limit int64, got *outcomes) http.HandlerFunc {
	var executing atomic.Int64
	return func(_ http.ResponseWriter, r *http.Request) {
		c, _ := r.Context().Value(courseKey{}).(course)
		if c.verb != "watch" {
			assert.LessOrEqual(t, executing.Add(1), limit)
			defer executing.Add(-1)
		}
		for range c.yields {
			runtime.Gosched()
		}
		if c.verb == "watch" {
			signalSomehow(r, c.signal)
		}
		if c.panic == 0 {
			got.panicked.Add(1)
			panic(http.ErrAbortHandler)
		}
		got.served.Add(1)
	}
}

func assertBooks(t *testing.T, series *stats.Snapshot, executed, rejected int64) {
	t.Helper()
	assert.EqualValues(t, executed, series.Dispatched)
	assert.EqualValues(t, executed, series.ExecutionRegular.Count()+series.ExecutionWatch.Count())
	total := uint64(0)
	for _, n := range series.Rejected {
		total += n
	}
	assert.EqualValues(t, rejected, total)
}

// signalSomehow calls the watch signal in one of the ways of a storage.
func signalSomehow(r *http.Request, how int) {
	switch how {
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

// askSomehow sends a request with the given course and counts it, even if it is
// rejected.
func (s *site) askSomehow(handler http.Handler, c course, got *outcomes) {
	got.sent.Add(1)
	r := requestBy(nobody, c.verb, "resourceVersion=7")
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), courseKey{}, c), time.Hour)
	defer cancel()
	if c.leaves {
		go cancel()
	}
	defer func() { _ = recover() }() // the handler's panic
	if s.ask(handler, r.WithContext(ctx)).Code == http.StatusTooManyRequests {
		got.rejected.Add(1)
	}
}
