package debugendpoints

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

var epoch = time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)

// still is a Source with a constant report.
type still []engine.LevelDump

func (s still) Report() engine.Report {
	var report engine.Report
	for _, level := range s {
		report.Levels = append(report.Levels, level.Report)
	}
	return report
}

func (s still) Dump() []engine.LevelDump                 { return s }
func (s still) TopFlows() []engine.LevelFlows            { return nil }
func (s still) Rejections() []engine.LevelRejections     { return nil }
func (s still) Now() time.Duration                       { return time.Hour }
func (s still) Wall(sinceOrigin time.Duration) time.Time { return epoch.Add(sinceOrigin) }

// sample returns a level with one busy queue of three and one queue that is no
// longer configured, and an exempt level.
func sample() still {
	busy := engine.LevelDump{
		Report: engine.LevelReport{
			Config:    engine.LevelConfig{Name: "busy"},
			Quiescing: true,
			Figures: queueset.Figures{
				Waiting: 2, QueuesWaiting: 1, Executing: 1, SeatsInUse: 3,
				Totals: queueset.Totals{Dispatched: 7, Rejected: 4, TimedOut: 3, Cancelled: 1},
			},
		},
		Dump: queueset.Dump{
			Queues: 3,
			Active: []queueset.QueueDump{
				{Index: 1, Waiting: 2, Executing: 1, SeatsInUse: 3, NextDispatchR: 12.5, InitialSeats: 3, Widths: 12, Work: seats.AreaOf(3, 3*time.Millisecond)},
				{Index: 7, Executing: 1, SeatsInUse: 1},
			},
			Requests: []queueset.RequestDump{
				{Schema: "s1", Distinguisher: "alice", Tenant: "shop", Queue: 1, Place: -1, Arrived: time.Second, Started: 2 * time.Second, Work: seats.Work{Initial: 3}},
				{
					Schema: "s1", Distinguisher: "bob", Queue: 1, Place: 0, Arrived: 3 * time.Second,
					Work: seats.Work{Initial: 2, Final: 10, Latency: 5 * time.Millisecond},
					Attributes: flow.Attributes{
						User: "bob", Verb: "update", Path: "/apis/apps/v1/namespaces/ns1/deployments/d1/scale", Namespace: "ns1", Name: "d1",
						APIGroup: "apps", APIVersion: "v1", Resource: "deployments", Subresource: "scale",
					},
				},
			},
		},
	}
	exempt := engine.LevelDump{
		Report: engine.LevelReport{Config: engine.LevelConfig{Name: "exempt"}},
		Dump:   queueset.Dump{Requests: []queueset.RequestDump{{Schema: "exempt", Queue: -1, Place: -1, Work: seats.Work{Initial: 1}}}},
	}
	return still{busy, exempt}
}

func get(t *testing.T, source Source, path, accept string) *httptest.ResponseRecorder {
	t.Helper()
	return getWith(t, source, estimate.NewHistory(), path, accept)
}

func getWith(t *testing.T, source Source, history *estimate.History, path, accept string) *httptest.ResponseRecorder {
	t.Helper()
	m := mux.NewPathRecorderMux("test")
	Install(m, source, history)
	request := httptest.NewRequest(http.MethodGet, pathPrefix+path, nil)
	if accept != "" {
		request.Header.Set("Accept", accept)
	}
	response := httptest.NewRecorder()
	m.ServeHTTP(response, request)
	require.Equal(t, http.StatusOK, response.Code)
	return response
}

// lines returns the cells of a text response, by line.
func lines(body string) [][]string {
	var out [][]string
	for line := range strings.Lines(body) {
		cells := strings.Split(line, ",")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		out = append(out, cells)
	}
	return out
}

func TestColumnsAreThoseOfPeer(t *testing.T) {
	client := fake.NewClientset()
	peer := mux.NewPathRecorderMux("peer")
	flowcontrol.New(informers.NewSharedInformerFactory(client, 0), client.FlowcontrolV1(), 100).Install(peer)
	for _, path := range []string{"dump_priority_levels", "dump_queues", "dump_requests", "dump_requests?includeRequestDetails=1"} {
		t.Run(path, func(t *testing.T) {
			response := httptest.NewRecorder()
			peer.ServeHTTP(response, httptest.NewRequest(http.MethodGet, pathPrefix+path, nil))
			want := lines(response.Body.String())[0]
			require.Greater(t, len(want), 8)
			assert.Equal(t, want, lines(get(t, sample(), path, "").Body.String())[0])
		})
	}
}

func TestText(t *testing.T) {
	for _, c := range []struct {
		path string
		want [][]string
	}{
		{"dump_priority_levels", [][]string{
			{"busy", "1", "false", "true", "2", "1", "7", "4", "3", "1"},
			{"exempt", "0", "true", "false", "0", "0", "0", "0", "0", "0"},
		}},
		{"dump_queues", [][]string{
			{"busy", "0", "0", "0", "0", "0.00000000ss", "0", "0", "0.00000000ss"},
			{"busy", "1", "2", "1", "3", "12.50000000ss", "3", "12", "0.00900000ss"},
			{"busy", "2", "0", "0", "0", "0.00000000ss", "0", "0", "0.00000000ss"},
			{"busy", "7", "0", "1", "1", "0.00000000ss", "0", "0", "0.00000000ss"},
		}},
		{"dump_requests", [][]string{
			{"busy", "s1", "1", "-1", "alice", "2024-05-06T07:08:10Z", "3", "0", "0s", "2024-05-06T07:08:11Z"},
			{"busy", "s1", "1", "0", "bob", "2024-05-06T07:08:12Z", "2", "10", "5ms", "0001-01-01T00:00:00Z"},
			{"exempt", "exempt", "-1", "-1", "", "2024-05-06T07:08:09Z", "1", "0", "0s", "2024-05-06T07:08:09Z"},
		}},
	} {
		t.Run(c.path, func(t *testing.T) {
			response := get(t, sample(), c.path, "")
			assert.Equal(t, c.want, lines(response.Body.String())[1:])
			assert.Equal(t, "text/plain; charset=utf-8", response.Header().Get("Content-Type"))
		})
	}
}

// TestQueuesWithoutRequestsAreRowsUpToABound: the number of queues is eight bytes of an object, and
// the rows of ten million queues took gigabytes.
func TestQueuesWithoutRequestsAreRowsUpToABound(t *testing.T) {
	levels := sample()
	levels[0].Queues = 10_000_000
	response := get(t, levels, "dump_queues", "")
	const busy = 2
	require.Len(t, lines(response.Body.String()), 1+busy+100_000)
	assert.Equal(t, `299 - "9899998 queues without requests are left out"`, response.Header().Get("Warning"))
	assert.Empty(t, get(t, sample(), "dump_queues", "").Header().Get("Warning"))
}

func TestAccept(t *testing.T) {
	for accept, json := range map[string]bool{
		"":                                   false,
		"*/*":                                false,
		"text/plain":                         false,
		"application/json":                   true,
		"application/json;q=0.9, text/plain": false,
		"text/plain;q=0.1,application/json":  true,
		"application/json, */*;q=0.1":        true,
		"nonsense;;;":                        false,
	} {
		t.Run(accept, func(t *testing.T) {
			assert.Equal(t, json, prefersJSON([]string{accept}))
		})
	}
}

func TestRequestsAsJSONAndWithDetails(t *testing.T) {
	rows := lines(get(t, sample(), "dump_requests?includeRequestDetails=1", "").Body.String())
	assert.Equal(t, []string{"bob", "update", "/apis/apps/v1/namespaces/ns1/deployments/d1/scale", "ns1", "d1", "apps/v1", "deployments", "scale"}, rows[2][10:])
	for path, details := range map[string]bool{"dump_requests": false, "dump_requests?includeRequestDetails=1": true} {
		response := get(t, sample(), path, "application/json")
		assert.Equal(t, "application/json", response.Header().Get("Content-Type"))
		var objects []map[string]any
		require.NoError(t, json.Unmarshal(response.Body.Bytes(), &objects))
		require.Len(t, objects, 3)
		assert.Equal(t, "busy", objects[0]["priorityLevelName"])
		assert.Contains(t, objects[0], "startTime")
		assert.NotContains(t, objects[1], "startTime", "it waits")
		assert.Equal(t, "shop", objects[0]["tenant"])
		assert.NotContains(t, objects[1], "tenant", "bob is a tenant")
		if details {
			assert.Equal(t, "apps/v1", objects[1]["apiVersion"])
		} else {
			assert.NotContains(t, objects[1], "apiVersion")
		}
	}
}

// The path of a request and the name of a user are unescaped client input.
func TestNoClientCanForgeARow(t *testing.T) {
	const name = "mallory\nexempt,\tforged\xff"
	source := busy{client: name, still: still{{
		Report: engine.LevelReport{Config: engine.LevelConfig{Name: "busy"}},
		Dump:   queueset.Dump{Requests: []queueset.RequestDump{{Schema: "s1", Attributes: flow.Attributes{User: "zoë", Verb: "get", Path: "/" + name}}}},
	}}}
	for _, path := range []string{"dump_requests?includeRequestDetails=1", "top_flows", "rejections"} {
		body := get(t, source, path, "").Body.String()
		require.Equal(t, 2, strings.Count(body, "\n"), body)
		assert.Contains(t, body, `mallory\nexempt,\tforged\xff`)
		assert.Equal(t, path == "dump_requests?includeRequestDetails=1", strings.Contains(body, "zoë"))
	}
}

func TestALevelWhoseSeatsAreHeldAfterTheExecutionIsNotIdle(t *testing.T) {
	rows := levelRows([]engine.LevelReport{{}, {Figures: queueset.Figures{SeatsInUse: 1}}})
	assert.True(t, rows[0].IsIdle)
	assert.False(t, rows[1].IsIdle)
}
