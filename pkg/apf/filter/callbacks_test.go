package filter

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// caller is all functions of Options. Each uses the engine, the filter and the watch that is served.
type caller struct {
	*site
	flowcontrol.WatchTracker
	handler http.Handler
	watch   context.Context // of the watch that executes
	using   bool
	called  map[string]int
}

func (c *caller) use(function string) {
	c.called[function]++
	if c.using {
		return
	}
	c.using = true
	defer func() { c.using = false }()
	c.engine.SetTotal(c.engine.Total())
	c.engine.Rebalance()
	c.engine.Report()
	for _, name := range []string{nobody, master} {
		for _, verb := range []string{"get", "list", "update", "watch"} {
			c.ask(c.handler, requestBy(name, verb, ""))
		}
	}
	if c.watch != nil {
		flowcontrol.WatchInitialized(c.watch)
	}
}

func (c *caller) GetInterestedWatchCount(info *apirequest.RequestInfo) int {
	c.use("GetInterestedWatchCount")
	return c.WatchTracker.GetInterestedWatchCount(info)
}

func (c *caller) RegisterWatch(r *http.Request) flowcontrol.ForgetWatchFunc {
	c.use("RegisterWatch")
	return c.WatchTracker.RegisterWatch(r)
}

func newCaller(t *testing.T, seats int) *caller {
	c := &caller{site: newSite(t, queueset.Queue, seats), called: map[string]int{}}
	c.WatchTracker = c.watches
	longRunning := c.options.LongRunning
	c.options = Options{
		LongRunning: func(r *http.Request, info *apirequest.RequestInfo) bool {
			c.use("LongRunning")
			return longRunning(r, info)
		},
		Objects:     func(string) (int64, error) { c.use("Objects"); return 4000, nil },
		Sizes:       func(string) int64 { c.use("Sizes"); return 1000 },
		ListCost:    "size",
		WaitLimit:   time.Millisecond,
		Watches:     c,
		Own:         func(user.Info) bool { c.use("Own"); return false },
		Explain:     func(context.Context, user.Info) bool { c.use("Explain"); return true },
		Serializer:  codecs(),
		ExemptLimit: ExemptLimit{InFlight: 1, Bypasses: func(*apirequest.RequestInfo, user.Info) bool { c.use("Bypasses"); return true }},
	}
	c.handler = c.before(func(_ http.ResponseWriter, r *http.Request) {
		if infoOf(r).Verb == "watch" {
			if !c.using {
				c.watch = r.Context()
			}
			flowcontrol.WatchInitialized(r.Context())
		}
		c.use("the handler")
	})
	return c
}

// Whatever the filter calls, it holds no lock, so that this may use the engine and the filter.
func TestWhatTheFilterCallsMayUseTheFilter(t *testing.T) {
	c := newCaller(t, 600)
	eventually.Returns(t, "requests are served", func() {
		for _, name := range []string{nobody, master} {
			for _, verb := range []string{"get", "list", "update", "watch"} {
				c.ask(c.handler, requestBy(name, verb, ""))
			}
		}
	})
	for _, function := range []string{
		"LongRunning", "Objects", "Sizes", "GetInterestedWatchCount", "RegisterWatch", "Own", "Bypasses", "the handler",
	} {
		assert.Positive(t, c.called[function], function)
	}
}

func TestWhatTheFilterCallsForARequestThatWaitsMayUseTheFilter(t *testing.T) {
	c := newCaller(t, 1)
	held := c.engine.Begin()
	held.Attributes.User, held.Attributes.Verb, held.Attributes.Path = nobody, "get", "/"
	held.Classify()
	assert.Equal(t, queueset.Seated, held.Arrive(held.Work))
	eventually.Returns(t, "the request is rejected", func() {
		assert.Equal(t, http.StatusTooManyRequests, c.ask(c.handler, requestBy(nobody, "get", "")).Code)
	})
	held.Finish()
	assert.Positive(t, c.called["Explain"])
}
