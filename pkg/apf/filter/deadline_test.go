package filter

import (
	"context"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/util/flowcontrol"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// receivedBefore is a request whose authentication took this long, as while kube-apiserver reviews
// tokens slowly.
func receivedBefore(r *http.Request, authentication time.Duration) *http.Request {
	return r.WithContext(apirequest.WithReceivedTimestamp(r.Context(), time.Now().Add(-authentication)))
}

// Issue 109603: the watch cache of the type cannot be filled, and the client stays.
// A watch that hangs gives its seat back a minute after it was received, when any other request ends.
func TestWatchThatHangsKeepsItsSeatUntilARequestWouldEnd(t *testing.T) {
	for authentication, kept := range map[time.Duration]time.Duration{
		0: 60 * time.Second, 10 * time.Second: 50 * time.Second, 14 * time.Second: 46 * time.Second,
	} {
		t.Run(authentication.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSite(t, queueset.Queue, 1)
				s.options.WaitLimit = 15 * time.Second
				s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
					<-time.After(kept - time.Nanosecond)
					assert.Equal(t, 1, s.figures("tested").SeatsInUse)
					<-time.After(time.Nanosecond)
					synctest.Wait()
					assert.Zero(t, s.figures("tested").SeatsInUse)
					flowcontrol.WatchInitialized(r.Context()) // too late, and harmless
				}), receivedBefore(requestBy(nobody, "watch", ""), authentication))
				s.requireIdle()
				assert.EqualValues(t, 1, s.series("everybody").ExecutionWatch.Count())
			})
		})
	}
}

// The client of a request waits for a minute. Its authentication took 14 s of the 15 that it may wait.
// On a level whose requests take five seconds it is served in its turn: its client does not leave
// after four times the second that is left.
func TestRequestAfterSlowAuthenticationIsServedInItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, queueset.Queue, 1)
		var served []string
		handler := s.before(func(_ http.ResponseWriter, r *http.Request) {
			served = append(served, infoOf(r).Name)
			<-time.After(5 * time.Second)
		})
		send := func(name string, authentication time.Duration) {
			r := receivedBefore(requestBy(nobody, "get", ""), authentication)
			infoOf(r).Name = name
			ctx, cancel := context.WithDeadline(r.Context(), time.Now().Add(time.Minute-authentication))
			go func() { defer cancel(); s.ask(handler, r.WithContext(ctx)) }()
			synctest.Wait()
		}
		send("first", 0)
		<-time.After(4500 * time.Millisecond)
		send("slowly authenticated", 14*time.Second)
		send("next", 0)
		<-time.After(time.Minute)
		assert.Equal(t, []string{"first", "slowly authenticated", "next"}, served)
	})
}
