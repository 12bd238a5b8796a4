package filter

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

func TestWatchHoldsItsSeatUntilItsInitialEventsAreSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, queueset.Queue, 1)
		s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
			assert.Equal(t, 1, s.figures("tested").SeatsInUse)
			<-time.After(2 * time.Second)
			flowcontrol.WatchInitialized(r.Context())
			synctest.Wait()
			assert.Zero(t, s.figures("tested").SeatsInUse, "initialized")
			<-time.After(time.Hour)
		}), requestBy(nobody, "watch", "resourceVersion=7"))

		s.requireIdle()
		watch := s.series("everybody").ExecutionWatch
		assert.EqualValues(t, 1, watch.Count())
		assert.InDelta(t, 2, watch.Sum, 1e-9, "seconds of initialization alone")
	})
}

func TestSeatOfAnInitializedWatchServesOthersWhileItGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, queueset.Reject, 1)
		others := s.before(func(http.ResponseWriter, *http.Request) {})
		s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
			assert.Equal(t, http.StatusTooManyRequests, s.ask(others, requestBy(nobody, "get", "")).Code, "before")
			flowcontrol.WatchInitialized(r.Context())
			for range 3 { // after its release, the Request is in the pool
				synctest.Wait()
				assert.Equal(t, http.StatusOK, s.ask(others, requestBy(nobody, "get", "")).Code, "after")
				flowcontrol.WatchInitialized(r.Context())
			}
		}), requestBy(nobody, "watch", ""))
		s.requireIdle()
	})
}

// The clock of the engine decides, as for all that is not a deadline.
func TestWatchThatHangsGivesItsSeatBackByTheClockOfTheEngine(t *testing.T) {
	now := clock.NewFake(time.Unix(0, 0))
	s := newSite(t, queueset.Reject, 1)
	s.engine = engine.New(engine.Options{Clock: now, Total: 1})
	s.options.WaitLimit = time.Second
	inUse := func() (seats int) {
		for _, level := range s.engine.Levels() {
			seats += level.Figures.SeatsInUse
		}
		return seats
	}
	s.ask(s.before(func(http.ResponseWriter, *http.Request) {
		assert.Equal(t, 1, inUse())
		now.Advance(4 * time.Second)
		assert.Zero(t, inUse())
	}), requestBy(nobody, "watch", ""))
}

// Issue 105511: another server serves the watch, or none does.
func TestWatchThatNeverReachesTheStorageGivesItsSeatBack(t *testing.T) {
	for name, handle := range map[string]http.HandlerFunc{
		"the handler returns": func(http.ResponseWriter, *http.Request) {},
		"the request is delegated": func(_ http.ResponseWriter, r *http.Request) {
			flowcontrol.RequestDelegated(r.Context())
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t, queueset.Queue, 1)
			s.ask(s.before(handle), requestBy(nobody, "watch", ""))
			s.requireIdle()
			assert.EqualValues(t, 1, s.series("everybody").ExecutionWatch.Count())
		})
	}
}

// Issues 127029 and 127048: all accounting is complete when the panic leaves
// the filter, in whichever call it occurred.
func TestPanicOfAWatchLeavesNothingBehind(t *testing.T) {
	for _, test := range []struct {
		name   string
		before func(s *site, r *http.Request)
	}{
		{"before it was initialized", func(*site, *http.Request) {}},
		{"after it was initialized", func(_ *site, r *http.Request) { flowcontrol.WatchInitialized(r.Context()) }},
		{"while it is being initialized", func(_ *site, r *http.Request) {
			go flowcontrol.WatchInitialized(r.Context())
		}},
	} {
		for _, user := range []string{nobody, master} {
			t.Run(test.name+" by "+user, func(t *testing.T) {
				s := newSite(t, queueset.Queue, 1)
				broken := errors.New("broken")
				handler := s.before(func(_ http.ResponseWriter, r *http.Request) {
					assert.Equal(t, 1, s.watching())
					test.before(s, r)
					panic(broken)
				})
				assert.PanicsWithValue(t, broken, func() {
					defer func() { s.requireIdle() }()
					s.ask(handler, requestBy(user, "watch", ""))
				})
			})
		}
	}
}

func TestWatchIsKnownToWritersWhileItGoesOn(t *testing.T) {
	s := newSite(t, queueset.Queue, 1)
	s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
		assert.Equal(t, 1, s.watching())
		flowcontrol.WatchInitialized(r.Context())
		assert.Equal(t, 1, s.watching())
	}), requestBy(nobody, "watch", ""))
	assert.Zero(t, s.watching())
}

func TestRejectedWatchIsNotRegistered(t *testing.T) {
	s := newSite(t, queueset.Reject, 0)
	w := s.ask(s.before(func(http.ResponseWriter, *http.Request) { t.Error("served") }), requestBy(nobody, "watch", ""))
	assert.Equal(t, http.StatusTooManyRequests, w.Code)
	s.requireIdle()
}
