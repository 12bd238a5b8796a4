package filter

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
)

const fromEtcd = "resourceVersion=5&resourceVersionMatch=Exact"

// listOf returns a list of a namespace from etcd.
func listOf(namespace string, query string) *http.Request {
	r := requestBy(nobody, "list", query)
	infoOf(r).Namespace = namespace
	return r
}

// store is an etcd that answers after 100 ms. Lists of the namespace "large" read 20 MB, which is in
// memory for a second, and others 10 KB.
func (s *site) store(most *atomic.Int64) http.Handler {
	var running atomic.Int64
	return s.before(func(w http.ResponseWriter, r *http.Request) {
		parts := 1
		if infoOf(r).Namespace == "large" {
			parts = 2000
			n := running.Add(1)
			defer running.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
		}
		<-time.After(100 * time.Millisecond)
		for range parts {
			CountRead(r.Context(), 10_000)
		}
		if parts > 1 {
			<-time.After(time.Second)
		}
		_, _ = w.Write([]byte("{}"))
	})
}

// Small lists of many namespaces are usual. Then one client lists a large namespace, a thousand times
// at once. By the formula five execute, of 100 seats each on a level that has 500; and ten more may
// execute unmeasured on a server of 1,000 seats. The kinds of small lists, and how many of them execute
// at once, do not matter.
func TestABurstOfLargeListsIsChargedByTheFormula(t *testing.T) {
	for _, cost := range []estimate.ListCost{estimate.CostBySize, estimate.CostLearned} {
		for _, small := range []int{1, 100} {
			t.Run(fmt.Sprintf("%s, %d small ones at once", cost, small), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) { testBurst(t, cost, small) })
			})
		}
	}
}

func testBurst(t *testing.T, cost estimate.ListCost, small int) {
	s := newLearningSite(t)
	s.options.ListCost = cost
	var most atomic.Int64
	handler := s.store(&most)
	queries := []string{fromEtcd, fromEtcd + "&labelSelector=a", fromEtcd + "&pretty=1"}
	var sent sync.WaitGroup
	for range 24 {
		for i := range small {
			for _, query := range queries {
				sent.Go(func() { s.ask(handler, listOf(fmt.Sprint("small-", i), query)) })
			}
		}
		sent.Wait()
	}
	for range 1000 {
		for _, query := range queries {
			sent.Go(func() { s.ask(handler, listOf("large", query)) })
		}
	}
	sent.Wait()
	assert.LessOrEqual(t, most.Load(), int64(5+10))
	assert.GreaterOrEqual(t, most.Load(), int64(5), "as many as the formula lets")
	assert.False(t, s.isCounted())
	s.requireIdle()
}

// Where the formula says as much as was learned, or a little more, all seats can be used.
func TestSmallListsUseAllSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newLearningSite(t)
		s.options.Objects = func(string) (int64, error) { return 200, nil } // two seats
		var most atomic.Int64
		handler := s.store(&most)
		for range 3 {
			s.ask(handler, listOf("small", fromEtcd))
		}
		var sent sync.WaitGroup
		var served atomic.Int64
		for range 500 {
			sent.Go(func() {
				if s.ask(handler, listOf("small", fromEtcd)).Code == http.StatusOK {
					served.Add(1)
				}
			})
		}
		sent.Wait()
		assert.EqualValues(t, 500, served.Load())
		assert.False(t, s.isCounted())
	})
}

// isCounted reports whether the history counts an unmeasured list.
func (s *site) isCounted() bool {
	whole := estimate.Unmeasured{Seats: int64(s.engine.Total())}
	if !s.options.History.Admit(whole, s.engine.Total()) {
		return true
	}
	s.options.History.Settle(whole)
	return false
}

// What a list has counted ends with it, however it ends.
func TestUnmeasuredListsAreSettled(t *testing.T) {
	configMaps := schema.GroupResource{Resource: "configmaps"}
	// read exchanges the seats of the list for the seats of a read from etcd.
	read := func(r *http.Request) (seating *Seating, done func()) {
		seating = SeatingOf(r.Context())
		done, err := seating.Vacate()
		assert.NoError(t, err)
		seated, err := seating.AskForStorage(r.Context(), configMaps, true, nil)
		assert.NoError(t, err)
		assert.True(t, seated)
		assert.False(t, seating.lists.history.Admit(estimate.Unmeasured{Seats: 950}, 1000), "the formula has 100 seats for it, and no longer 10")
		return seating, done
	}
	testSettled(t, "list", map[string]func(*site, *http.Request){
		"it returns":         func(*site, *http.Request) {},
		"it panics":          func(*site, *http.Request) { panic(http.ErrAbortHandler) },
		"it reads from etcd": func(_ *site, r *http.Request) { _, done := read(r); done() },
		"another reads for it": func(s *site, r *http.Request) {
			seating, done := read(r)
			seating.Return()
			assert.False(t, s.isCounted(), "it does not read")
			assert.NoError(t, seating.AskAgain(r.Context()))
			done()
		},
		"its read goes on": func(s *site, r *http.Request) {
			seating, done := read(r)
			release := seating.HandOver()
			done()
			time.AfterFunc(time.Hour, func() {
				assert.True(t, s.isCounted(), "until it ends")
				release()
			})
		},
	})
}

func TestUnmeasuredWatchesAreSettled(t *testing.T) {
	testSettled(t, "watch", map[string]func(*site, *http.Request){
		"it returns": func(*site, *http.Request) {},
		"it panics":  func(*site, *http.Request) { panic(http.ErrAbortHandler) },
		"its initial events are sent": func(s *site, r *http.Request) {
			flowcontrol.WatchInitialized(r.Context())
			synctest.Wait()
			assert.False(t, s.isCounted(), "it goes on")
		},
		"it hangs": func(s *site, _ *http.Request) {
			<-time.After(5 * time.Minute)
			assert.False(t, s.isCounted(), "it has no seats")
		},
	})
}

func testSettled(t *testing.T, verb string, handlers map[string]func(*site, *http.Request)) {
	t.Helper()
	for name, handle := range handlers {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newLearningSite(t)
				small := s.before(writing([]byte("{}"), 2))
				for range 3 {
					s.ask(small, requestBy(nobody, "list", fromCache))
					s.ask(small, listOf("default", fromEtcd))
				}
				func() {
					defer func() { _ = recover() }()
					s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
						assert.True(t, s.isCounted(), "while it executes")
						handle(s, r)
					}), requestBy(nobody, verb, fromCache))
				}()
				<-time.After(2 * time.Hour)
				assert.False(t, s.isCounted())
				s.requireIdle()
			})
		})
	}
}
