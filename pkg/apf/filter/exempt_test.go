package filter

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/authentication/user"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
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

	for range s.options.ExemptLimit.InFlight {
		rejected := s.ask(handler, requestBy(master, "get", ""))
		require.Equal(t, http.StatusTooManyRequests, rejected.Code)
		require.NotEmpty(t, rejected.Header().Get("Retry-After"))
	}
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
	require.Equal(t, http.StatusOK, s.ask(handler, requestBy(master, "get", "")).Code, "all are counted out again")
	s.requireIdle()
}

// While one request is being rejected, the only one in flight ends, and a third arrives.
func TestRejectedExemptRequestTakesNoPlace(t *testing.T) {
	s := newSite(t, queueset.Reject, 1)
	var handler http.Handler
	hold, executing, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	s.options.ExemptLimit = ExemptLimit{InFlight: 1, Bypasses: func(info *apirequest.RequestInfo, _ user.Info) bool {
		if info.Verb == "patch" {
			close(hold)
			<-ended
			assert.Equal(t, http.StatusOK, s.ask(handler, requestBy(master, "get", "")).Code, "none is in flight")
		}
		return false
	}}
	handler = s.before(func(_ http.ResponseWriter, r *http.Request) {
		if infoOf(r).Verb == "list" {
			close(executing)
			<-hold
		}
	})
	go func() {
		defer close(ended)
		s.ask(handler, requestBy(master, "list", ""))
	}()
	<-executing
	s.ask(handler, requestBy(master, "patch", ""))
	s.requireIdle()
}

// Anybody may ask for health as often as they like.
func TestRequestsThatBypassTheLimitTakeNoPlace(t *testing.T) {
	s := newSite(t, queueset.Reject, 1)
	s.options.ExemptLimit = ExemptLimit{InFlight: 1, Bypasses: func(info *apirequest.RequestInfo, _ user.Info) bool { return IsProbe(info) }}
	probe := &apirequest.RequestInfo{Verb: "get", Path: "/readyz"}
	var handler http.Handler
	handler = s.before(func(_ http.ResponseWriter, r *http.Request) {
		if infoOf(r) == probe {
			assert.Equal(t, http.StatusOK, s.ask(handler, requestBy(master, "get", "")).Code)
		}
	})
	s.ask(handler, requestOf(master, probe, ""))
}

// A rejection by the bound is found wherever other rejections are.
func TestRejectedExemptRequestIsCountedRememberedAndAnnotated(t *testing.T) {
	s := newSite(t, queueset.Reject, 1)
	s.options.Annotations = AnnotateGoverned
	s.options.ExemptLimit = ExemptLimit{InFlight: 1}
	var handler http.Handler
	handler = s.before(func(_ http.ResponseWriter, r *http.Request) {
		if infoOf(r).Verb != "list" {
			return
		}
		flood, annotations := release.Audited(requestBy(master, "get", ""), auditinternal.LevelMetadata)
		for range 3 {
			assert.Equal(t, http.StatusTooManyRequests, s.ask(handler, flood).Code)
		}
		assert.Equal(t, map[string]string{
			"flow-schema": "exempt", "priority-level": "exempt", "flow-distinguisher": "", "seats": "0", "queue-wait": "0s", "outcome": "concurrency-limit",
		}, shortened(t, annotations()))
	})
	s.ask(handler, requestBy(master, "list", ""))
	assert.EqualValues(t, 3, s.series("exempt").Rejected[queueset.ConcurrencyLimit])
	assert.EqualValues(t, 3, s.figures("exempt").Totals.Rejected)
	for _, level := range s.engine.Rejections() {
		if level.Level == "exempt" {
			require.Len(t, level.Records, 1)
			record := level.Records[0]
			assert.EqualValues(t, 3, record.Count)
			assert.Equal(t, queueset.ConcurrencyLimit, record.Reason)
			assert.Equal(t, master, record.User)
			assert.Equal(t, -1, record.Queue)
		}
	}
	s.requireIdle()
}

// On startup, lists of a server's informers and its keeper were estimated at 31 seats
// together. For the next ten seconds the other levels lacked them. Clients without credentials may
// send probes: with many at once they took the seats of other levels.
func TestRequestsOfTheServerItselfAndProbesMoveNoLimits(t *testing.T) {
	large := known{stored: 100_000, watchers: 1000}
	for _, test := range []struct {
		name, requester, verb string
		seats                 int // of the exempt level
	}{
		{"a list of its own", user.APIServerUser, "list", 0},
		{"a watch of its own", user.APIServerUser, "watch", 0},
		{"a write of its own", user.APIServerUser, "update", 0},
		{"a get of its own", user.APIServerUser, "get", 0},
		{"a probe", master, "probe", 0},
		{"a list of an administrator", master, "list", 10}, // among any number, by default
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, queueset.Reject, 20)
			s.options.Objects, s.options.Watches = large.Objects, large
			s.options.Own = func(requester user.Info) bool { return requester.GetName() == user.APIServerUser }
			request := requestBy(test.requester, test.verb, "")
			if test.verb == "probe" {
				request = requestOf(test.requester, &apirequest.RequestInfo{Verb: "get", Path: "/readyz"}, "")
			}
			s.ask(s.before(func(http.ResponseWriter, *http.Request) {
				assert.Equal(t, 1, s.figures(rules.Exempt).Executing, "it counts as a request")
				assert.Equal(t, test.seats, s.figures(rules.Exempt).SeatsInUse)
			}), request)
			s.requireIdle()
			s.engine.Rebalance()
			limits := 0
			for _, level := range s.engine.Report().Levels {
				if level.Config.Name != rules.Exempt {
					limits += level.Seats.Current
				}
			}
			require.Equal(t, 20-test.seats, limits)
		})
	}
}

func TestNoRequestIsFreeOnALimitedLevel(t *testing.T) {
	s := newSite(t, queueset.Reject, 1)
	s.options.Own = func(user.Info) bool { return true }
	s.ask(s.before(func(http.ResponseWriter, *http.Request) {
		assert.Equal(t, 1, s.figures("tested").SeatsInUse)
	}), requestBy(nobody, "get", ""))
}
