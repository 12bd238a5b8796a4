package filter

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	epmetrics "k8s.io/apiserver/pkg/endpoints/metrics"
	"k8s.io/apiserver/pkg/server/httplog"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/component-base/metrics/legacyregistry"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// counter returns the sum of a library counter over the series whose labels
// have the given values.
func counter(t *testing.T, name string, labels map[string]string) (sum float64) {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, metric := range family.GetMetric() {
			matched := 0
			for _, pair := range metric.GetLabel() {
				if want, ok := labels[pair.GetName()]; ok && want == pair.GetValue() {
					matched++
				}
			}
			if matched == len(labels) {
				sum += metric.GetCounter().GetValue()
			}
		}
	}
	return sum
}

func TestRejectionIsCountedAsTheLibraryCountsIt(t *testing.T) {
	epmetrics.Register()
	s := newSite(t, queueset.Reject, 0)
	labels := map[string]string{"verb": "LIST", "resource": "configmaps", "code": "429"}
	requests := counter(t, "apiserver_request_total", labels)
	terminations := counter(t, "apiserver_request_terminations_total", labels)

	s.ask(s.before(func(http.ResponseWriter, *http.Request) {}), requestBy(nobody, "list", ""))

	assert.InDelta(t, requests+1, counter(t, "apiserver_request_total", labels), 0)
	assert.InDelta(t, terminations+1, counter(t, "apiserver_request_terminations_total", labels), 0)
}

func TestLogOfRequestsSaysHowTheyWereJudged(t *testing.T) {
	for _, test := range []struct {
		name, verb, verbosity string
		says, saysNot         []string
	}{
		{
			"a request", "list", "3",
			[]string{`apf_pl="tested"`, `apf_fs="everybody"`, "apf_iseats=1", "apf_fseats=0", `apf_additionalLatency="0s"`, "apf_execution_time="},
			[]string{"apf_init_latency"},
		},
		{"a watch", "watch", "3", []string{`apf_pl="tested"`, "apf_execution_time=", "apf_init_latency="}, nil},
		{"nothing when requests are not logged", "list", "2", nil, []string{"apf_"}},
		{"a request, when only httplog has the verbosity", "list", "0 -vmodule=httplog=3", []string{`apf_pl="tested"`, "apf_execution_time="}, nil},
		{"the same by a pattern", "list", "0 -vmodule=other=4,http*=5", []string{`apf_pl="tested"`}, nil},
		{"nothing when only another file has the verbosity", "list", "0 -vmodule=filter=9,log=9", nil, []string{"apf_"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			written := logs.Record(t, test.verbosity)
			s := newSite(t, queueset.Queue, 1)
			handler := s.before(func(_ http.ResponseWriter, r *http.Request) { flowcontrol.WatchInitialized(r.Context()) })
			s.ask(httplog.WithLogging(handler, httplog.DefaultStacktracePred), requestBy(nobody, test.verb, ""))
			for _, said := range test.says {
				assert.Contains(t, written.String(), said)
			}
			for _, said := range test.saysNot {
				assert.NotContains(t, written.String(), said)
			}
		})
	}
}

// The estimate was logged after the arrival, while a dispatch may already change it. The
// race detector reported it.
func TestEstimateOfAWaitingRequestIsNotReadWhileItMayBeDispatched(t *testing.T) {
	logs.Record(t, "3")
	s := newSite(t, queueset.Queue, 1)
	release := s.busy()
	handler := httplog.WithLogging(s.before(func(http.ResponseWriter, *http.Request) {}), httplog.DefaultStacktracePred)
	answered := make(chan int, 1)
	go func() { answered <- s.ask(handler, requestBy(nobody, "get", "")).Code }()
	eventually.Holds(t, "the request waits", func(a *eventually.Attempt) {
		require.Equal(a, 1, s.figures("tested").Waiting)
	})
	release()
	assert.Equal(t, http.StatusOK, <-answered)
	s.requireIdle()
}
