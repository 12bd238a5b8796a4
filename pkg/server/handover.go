package server

import (
	"context"
	"net/http"
	"sync/atomic"
	"time"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/utils/clock"
)

// handOver makes clients go to another replica while this one, asked to stop,
// still serves for --shutdown-delay-duration. Who looks for a replica does not
// find this one any more, but who has a connection keeps it, and would be refused
// at the end of the delay. So in the second half of it, when load balancers have
// heard, each answer asks the client to come back on another connection.
type handOver struct{ leaving atomic.Bool }

func (c *Config) handOverClients(context.Context) error {
	delay := c.generic.ShutdownDelayDuration
	if delay == 0 {
		return nil
	}
	h := &handOver{}
	chain := c.generic.BuildHandlerChainFunc
	c.generic.BuildHandlerChainFunc = func(api http.Handler, generic *genericapiserver.Config) http.Handler {
		return h.wrap(chain(api, generic))
	}
	stop := c.generic.ShutdownInitiatedNotify()
	return c.generic.AddPostStartHook("hand-over", func(genericapiserver.PostStartHookContext) error {
		go h.wait(stop, clock.RealClock{}, delay/2)
		return nil
	})
}

// wait waits for the stop to be asked for, and after that.
func (h *handOver) wait(stop <-chan struct{}, clock clock.Clock, after time.Duration) {
	<-stop
	<-clock.After(after)
	h.leaving.Store(true)
}

func (h *handOver) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if h.leaving.Load() {
			// Over HTTP/2 the library of Go says GOAWAY, after which what is under
			// way on the connection is answered.
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, request)
	})
}
