package replica_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

const levelsHeader = "PriorityLevelName, ActiveQueues, IsIdle, IsQuiescing, WaitingRequests, ExecutingRequests, DispatchedRequests, RejectedRequests, TimedoutRequests, CancelledRequests\n"

func read(endpoint replica.Endpoint, body string) replica.Replica {
	var state replica.Replica
	state.Add(endpoint, strings.NewReader(body))
	return state
}

func TestLevels(t *testing.T) {
	const row = "workload-low,     12,           false,  true,       34,              56,                789,                1,                2,                3\n"
	want := []replica.Level{{
		Name: "workload-low", Waiting: 34, Executing: 56,
		Rejected: 1, TimedOut: 2, Cancelled: 3,
	}}
	for _, c := range []struct {
		name, body string
		want       []replica.Level
		missing    string
	}{
		{"a table", levelsHeader + row, want, ""},
		{"a table of Windows", strings.ReplaceAll(levelsHeader+row, "\n", "\r\n"), want, ""},
		{"a table with raw tabs", "PriorityLevelName,\tWaitingRequests\nsystem,\t7\n", []replica.Level{{Name: "system", Waiting: 7}}, ""},
		{"columns in another order, one of them new", "Novel, WaitingRequests, PriorityLevelName\nx, 7, system\n", nil, "The first line does not name the columns"},
		{"a new column in the middle", "PriorityLevelName, Novel, WaitingRequests\nsystem, x, 7\n", []replica.Level{{Name: "system", Waiting: 7}}, ""},
		{"a header alone", levelsHeader, nil, ""},
		{"JSON", `[{"priorityLevelName":"system","waitingRequests":7,"isIdle":true,"novel":{"a":1}}]`, []replica.Level{{Name: "system", Waiting: 7}}, ""},
		{"empty JSON", "[]\n", nil, ""},
		{"an empty response", " \n", nil, "The response is empty."},
		{"an error page", "404 page not found\n", nil, "The first line does not name the columns"},
		{"a Status", `{"kind":"Status","code":403}` + "\n", nil, "The first line does not name the columns"},
		{"a table whose last row is cut off", levelsHeader + row + "system,    1", want, "The last row is cut off."},
		{"a number that is none", levelsHeader + row + strings.Replace(row, "34", "xx", 1), want, `1 of 2 rows are omitted: WaitingRequests is "xx".`},
		{"a row with too few columns", levelsHeader + "system, 1\n" + row, want, "1 of 2 rows are omitted: they do not have the columns of the first line."},
		{"a row without a name", levelsHeader + strings.Replace(row, "workload-low", "            ", 1) + row, want, "1 of 2 rows are omitted: PriorityLevelName is empty."},
		{"JSON that is cut off in a row", `[{"priorityLevelName":"system","waitingRequests":7},{"priorityLev`, []replica.Level{{Name: "system", Waiting: 7}}, "The response ends after 1 rows"},
		{"JSON that is cut off after a row", `[{"priorityLevelName":"system","waitingRequests":7}`, []replica.Level{{Name: "system", Waiting: 7}}, "The response ends after 1 rows"},
		{"a negative count", `[{"priorityLevelName":"system","rejectedRequests":-7}]`, nil, `1 of 1 rows are omitted: RejectedRequests is "-7".`},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := read(replica.EndpointLevels, c.body)
			assert.Equal(t, c.want, state.Levels)
			if c.missing == "" {
				assert.Empty(t, state.Missing)
				return
			}
			require.Len(t, state.Missing, 1)
			assert.Equal(t, "/debug/api_priority_and_fairness/dump_priority_levels", state.Missing[0].What)
			assert.Contains(t, state.Missing[0].Why, c.missing)
		})
	}
}

func TestQueues(t *testing.T) {
	const body = "PriorityLevelName, Index,  PendingRequests, ExecutingRequests, SeatsInUse, NextDispatchR,    InitialSeatsSum, MaxSeatsSum, TotalWorkSum\n" +
		"system,            7,      1,               2,                 3,          12.50000000ss,    4,               5,           0.00900000ss\n"
	state := read(replica.EndpointQueues, body)
	assert.Empty(t, state.Missing)
	assert.Equal(t, []replica.Queue{{Level: "system", Index: 7, Waiting: 1, Executing: 2, SeatsUsed: 3, Work: 0.009}}, state.Queues)
}

func TestWaitingRequestHasNotStarted(t *testing.T) {
	for name, body := range map[string]string{
		"text": "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime, InitialSeats, FinalSeats, AdditionalLatency, StartTime\n" +
			"system, s1, 3, 0, bob, 2024-05-06T07:08:12.5Z, 2, 10, 5ms, 0001-01-01T00:00:00Z\n",
		"JSON": `[{"priorityLevelName":"system","flowSchemaName":"s1","queueIndex":3,"requestIndexInQueue":0,"flowDistinguisher":"bob",` +
			`"arriveTime":"2024-05-06T07:08:12.5Z","initialSeats":2,"finalSeats":10,"additionalLatency":"5ms"}]`,
	} {
		t.Run(name, func(t *testing.T) {
			state := read(replica.EndpointRequests, body)
			assert.Empty(t, state.Missing)
			assert.Equal(t, []replica.Request{{
				Level: "system", FlowSchema: "s1", Distinguisher: "bob", Queue: 3, Place: 0,
				Arrived: time.Date(2024, 5, 6, 7, 8, 12, 500e6, time.UTC), InitialSeats: new(2), FinalSeats: 10, Latency: 5 * time.Millisecond,
			}}, state.Requests)
			assert.True(t, state.Requests[0].Started.IsZero())
		})
	}
}

func TestDumpsBefore128LackTheRequestsThatExecute(t *testing.T) {
	state := read(replica.EndpointRequests, "PriorityLevelName, FlowSchemaName, QueueIndex, RequestIndexInQueue, FlowDistingsher, ArriveTime\nsystem, s1, 3, 0, bob, 2024-05-06T07:08:12.5Z\n")
	require.Len(t, state.Requests, 1)
	assert.Nil(t, state.Requests[0].InitialSeats)
	assert.True(t, state.Lacks(replica.EndpointRequests))
}

func TestFlows(t *testing.T) {
	want := []replica.Flow{{
		Level: "system", FlowSchema: "s1", Distinguisher: "bob",
		SeatSeconds1m: 1.5, SeatSeconds15m: 3.5, Error1m: 0.25,
	}}
	for name, body := range map[string]string{
		"JSON": `[{"priorityLevelName":"system","flowSchemaName":"s1","flowDistinguisher":"bob","seatSeconds1m":1.5,"seatSeconds5m":2.5,"seatSeconds15m":3.5,"error1m":0.25,"error5m":0,"error15m":0.5}]`,
		"text": "PriorityLevelName, FlowSchemaName, FlowDistinguisher, SeatSeconds1m, SeatSeconds5m, SeatSeconds15m, Error1m, Error5m, Error15m\n" +
			"system, s1, bob, 1.50000000ss, 2.50000000ss, 3.5, 0.25ss, 0, 0.5ss\n",
	} {
		t.Run(name, func(t *testing.T) {
			state := read(replica.EndpointFlows, body)
			assert.Empty(t, state.Missing)
			assert.Equal(t, want, state.Flows)
		})
	}
}

func TestRejections(t *testing.T) {
	state := read(replica.EndpointRejections, `[
		{"priorityLevelName":"system","flowSchemaName":"s1","flowDistinguisher":"bob","reason":"queue-full","count":3,
		 "firstTime":"2024-05-06T07:08:09Z","lastTime":"2024-05-06T07:09:09Z","userName":"bob","verb":"list","path":"/api/v1/pods","queue":5,"seats":10},
		{"priorityLevelName":"catch-all","flowSchemaName":"s2","flowDistinguisher":"","reason":"concurrency-limit","count":1,
		 "firstTime":"2024-05-06T07:08:09Z","lastTime":"2024-05-06T07:08:09Z","userName":"eve","verb":"get","path":"/","seats":1}]`)
	assert.Empty(t, state.Missing)
	first := time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC)
	assert.Equal(t, []replica.Rejection{
		{
			Level: "system", FlowSchema: "s1", Distinguisher: "bob", Reason: "queue-full", Count: 3,
			First: first, Last: first.Add(time.Minute), User: "bob",
		},
		{Level: "catch-all", FlowSchema: "s2", Reason: "concurrency-limit", Count: 1, First: first, Last: first, User: "eve"},
	}, state.Rejections)
}

func TestUnknownEndpointIsMissing(t *testing.T) {
	assert.Len(t, read("/healthz", "ok").Missing, 1)
}

// failing is a body whose connection breaks after its text.
type failing struct{ *strings.Reader }

func (f failing) Read(p []byte) (int, error) {
	n, err := f.Reader.Read(p)
	if err != nil {
		err = fmt.Errorf("connection reset")
	}
	return n, err
}

func TestBrokenConnectionKeepsWhatWasRead(t *testing.T) {
	var state replica.Replica
	state.Add(replica.EndpointLevels, failing{strings.NewReader("PriorityLevelName, WaitingRequests\nsystem, 7\nworkl")})
	state.Add(replica.EndpointMetrics, failing{strings.NewReader(`apiserver_flowcontrol_nominal_limit_seats{priority_level="system"} 7` + "\n")})
	assert.Equal(t, []replica.Level{{Name: "system", Waiting: 7}}, state.Levels)
	assert.Equal(t, new(7), state.Metrics.Levels["system"].Nominal)
	require.Len(t, state.Missing, 3)
	assert.Equal(t, "The response ended early: connection reset.", state.Missing[0].Why)
}

func FuzzRowsDoNotBreakOthers(f *testing.F) {
	f.Add(", ,\t,")
	f.Add("system,\t1\nsystem")
	f.Add("PriorityLevelName,\tWaitingRequests")
	f.Add("\r\r\xff")
	f.Fuzz(func(t *testing.T, junk string) {
		state := read(replica.EndpointLevels, "PriorityLevelName, WaitingRequests\nfirst, 7\n"+junk+"\nlast, 8\n")
		require.GreaterOrEqual(t, len(state.Levels), 2)
		assert.Equal(t, replica.Level{Name: "first", Waiting: 7}, state.Levels[0])
		assert.Equal(t, replica.Level{Name: "last", Waiting: 8}, state.Levels[len(state.Levels)-1])
	})
}

func FuzzAnyResponse(f *testing.F) {
	for i := range replica.Endpoints() {
		f.Add(i, levelsHeader+"a, 1, true, false, 1, 1, 1, 1, 1, 1\n")
		f.Add(i, `[{"priorityLevelName":"a","seatSeconds1m":1e999,"queue":1.5}]`)
		f.Add(i, `apiserver_flowcontrol_nominal_limit_seats{priority_level="a"} NaN`+"\n")
	}
	f.Fuzz(func(t *testing.T, endpoint int, body string) {
		all := replica.Endpoints()
		if endpoint < 0 || endpoint >= len(all) {
			endpoint = 0
		}
		state := read(all[endpoint], body)
		for _, level := range state.Levels {
			assert.NotEmpty(t, level.Name)
		}
		for _, level := range state.Metrics.Levels {
			if level.Nominal != nil {
				assert.GreaterOrEqual(t, *level.Nominal, 0)
			}
		}
		for _, missing := range state.Missing {
			assert.NotEmpty(t, missing.Why)
		}
	})
}
