package filter

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

func TestExemptRequestsInFlightAreBounded(t *testing.T) {
	s := newSite(t, queueset.Reject, 1)
	s.options.ExemptLimit = ExemptLimit{InFlight: 2, Bypasses: func(info *apirequest.RequestInfo, _ user.Info) bool { return info.Verb == "delete" }}
	executing, hold, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	handler := s.before(func(_ http.ResponseWriter, r *http.Request) {
		if infoOf(r).Verb == "list" {
			executing <- struct{}{}
			<-hold
		}
	})
	for range s.options.ExemptLimit.InFlight {
		go func() {
			s.ask(handler, requestBy(master, "list", ""))
			done <- struct{}{}
		}()
		<-executing
	}

	refused := s.ask(handler, requestBy(master, "get", ""))
	require.Equal(t, http.StatusTooManyRequests, refused.Code)
	require.NotEmpty(t, refused.Header().Get("Retry-After"))
	for name, request := range map[string]*http.Request{
		"a request that bypasses the limit": requestBy(master, "delete", ""),
		"a watch":                           requestBy(master, "watch", ""),
		"a request of another level":        requestBy(nobody, "get", ""),
	} {
		require.Equal(t, http.StatusOK, s.ask(handler, request).Code, name)
	}

	close(hold)
	for range s.options.ExemptLimit.InFlight {
		<-done
	}
	require.Equal(t, http.StatusOK, s.ask(handler, requestBy(master, "get", "")).Code, "they are counted out again")
	s.requireIdle()
}

func TestExemptRequestsHaveNoBoundByDefault(t *testing.T) {
	s := newSite(t, queueset.Reject, 1)
	gate := exemptGate{}
	for range 10_000 {
		require.True(t, gate.enter(nil, nil))
	}
	require.Equal(t, http.StatusOK, s.ask(s.before(func(http.ResponseWriter, *http.Request) {}), requestBy(master, "get", "")).Code)
}
