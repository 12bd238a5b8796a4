package top

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

func TestFlowsHaveTheSeatSecondsThatServersTell(t *testing.T) {
	one, other := dumped("a"), dumped("b")
	heavy := replica.Flow{Level: "system", FlowSchema: "nodes", Distinguisher: "n1", SeatSeconds1m: 12, Error1m: 2}
	gone := replica.Flow{Level: "global-default", FlowSchema: "global-default", Distinguisher: "u", SeatSeconds1m: 30}
	one.Flows, other.Flows = []replica.Flow{heavy}, []replica.Flow{heavy, gone}
	answer, err := OfFlows([]replica.Replica{one, other}, Options{})
	require.NoError(t, err)
	assert.Equal(t, []Flow{
		{Level: "global-default", FlowSchema: "global-default", Distinguisher: "u", SeatSeconds: new(30.0), SeatSecondsError: new(0.0), SeatsInUse: new(0), Executing: new(0), Waiting: new(0)},
		{Level: "system", FlowSchema: "nodes", Distinguisher: "n1", SeatSeconds: new(24.0), SeatSecondsError: new(4.0), SeatsInUse: new(10), Executing: new(4), Waiting: new(0)},
		{Level: "system", FlowSchema: "nodes", Distinguisher: "n2", SeatsInUse: new(0), Executing: new(0), Waiting: new(2), OldestWaitSeconds: new(1.5)},
	}, answer.Flows)
	assert.Equal(t, Flow{SeatSeconds: new(54.0), SeatSecondsError: new(4.0), SeatsInUse: new(10), Executing: new(4), Waiting: new(2), OldestWaitSeconds: new(1.5)}, answer.Total)
}

func TestFlowsOfServersThatDoNotTellAreThoseOfTheRequests(t *testing.T) {
	answer, err := OfFlows([]replica.Replica{dumped("a")}, Options{Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, []Flow{{Level: "system", FlowSchema: "nodes", Distinguisher: "n1", SeatsInUse: new(5), Executing: new(2), Waiting: new(0)}}, answer.Flows)
	assert.Equal(t, 1, answer.Omitted)

	_, err = OfFlows(nil, Options{Sort: "age"})
	require.ErrorContains(t, err, "must be one of seat-seconds, seats, waiting, oldest, name")
}

// TestWhatNoLineTellsOfSeatsIsUnknown has a dump without the columns of seats, as up to Kubernetes 1.22, and a replica
// that tells its heavy flows and no requests.
func TestWhatNoLineTellsOfSeatsIsUnknown(t *testing.T) {
	old := dumped("a")
	for i := range old.Requests {
		old.Requests[i].InitialSeats = nil
	}
	assert.Nil(t, levels(t, []replica.Replica{old}, nil, Options{Sort: "name"}).Levels[1].SeatsInUse)
	requests, err := OfRequests([]replica.Replica{old}, Options{Sort: "seats"})
	require.NoError(t, err)
	assert.Nil(t, requests.SeatsInUse)
	var out bytes.Buffer
	require.NoError(t, requests.WriteTable(&out, table.Options{}))
	assert.Contains(t, out.String(), "3.0s  executing      -  n1 ")
	text, err := json.Marshal(requests.Requests[0])
	require.NoError(t, err)
	assert.Contains(t, string(text), `"seats":null`)

	blind := replica.Replica{
		Name: "b", Read: now, Flows: []replica.Flow{{Level: "system", FlowSchema: "nodes", Distinguisher: "n3", SeatSeconds1m: 12}},
		Missing: []replica.Missing{{What: string(replica.EndpointRequests), Why: "Forbidden."}},
	}
	flows, err := OfFlows([]replica.Replica{old, blind}, Options{})
	require.NoError(t, err)
	out.Reset()
	require.NoError(t, flows.WriteTable(&out, table.Options{Wide: true}))
	rows, _, _ := strings.Cut(out.String(), "Note: ")
	assert.Equal(t, ""+
		"FLOWSCHEMA  FLOW  SEAT-SECONDS  SEATS  EXECUTING  WAITING  OLDEST  LEVEL   ERROR\n"+
		"nodes       n3            12.0      -          -        -       -  system    0.0\n"+
		"nodes       n2               -      0          0        1    1.5s  system      -\n"+
		"nodes       n1               -      -          2        0       -  system      -\n"+
		"TOTAL                     12.0      -          -        -    1.5s            0.0\n", rows)
	assert.Contains(t, out.String(), "Note: SEATS and WAITING are from 1 of 2 API servers: the others do not report them.\n")
}

func TestRequestsAreSortedByAge(t *testing.T) {
	answer, err := OfRequests([]replica.Replica{dumped("a")}, Options{})
	require.NoError(t, err)
	require.Len(t, answer.Requests, 3)
	first, last := answer.Requests[0], answer.Requests[2]
	assert.Equal(t, []float64{3, 2, 1.5, 1.5}, []float64{*first.AgeSeconds, *first.WaitSeconds, *last.AgeSeconds, *last.WaitSeconds})
	assert.Equal(t, []State{Executing, Waiting}, []State{first.State, last.State})
	assert.Equal(t, []int{2, 1, 5}, []int{answer.Executing, answer.Waiting, *answer.SeatsInUse})
	bySeats, err := OfRequests([]replica.Replica{dumped("a")}, Options{Sort: "seats", Limit: 1})
	require.NoError(t, err)
	assert.Equal(t, 4, *bySeats.Requests[0].InitialSeats)
	assert.Equal(t, 2, bySeats.Omitted)
	byWait, err := OfRequests([]replica.Replica{dumped("a")}, Options{Sort: "wait"})
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 1.5, 0}, []float64{*byWait.Requests[0].WaitSeconds, *byWait.Requests[1].WaitSeconds, *byWait.Requests[2].WaitSeconds})
	_, err = OfRequests(nil, Options{Sort: "size"})
	require.ErrorContains(t, err, "must be one of age, wait, seats, level, user")
}

func TestServerWhoseClockIsAheadHasNoNegativeAges(t *testing.T) {
	ahead := dumped("a")
	ahead.Taken = now.Add(-time.Hour)
	answer, err := OfRequests([]replica.Replica{ahead}, Options{})
	require.NoError(t, err)
	assert.Zero(t, *answer.Requests[0].AgeSeconds)
}

func TestAgesAreUnknownWhereItIsUnknownWhenADumpWasTaken(t *testing.T) {
	saved := dumped("a")
	saved.Taken = time.Time{}
	answer, err := OfRequests([]replica.Replica{saved}, Options{})
	require.NoError(t, err)
	assert.Nil(t, answer.Requests[0].AgeSeconds)
	assert.Equal(t, 2.0, *answer.Requests[0].WaitSeconds, "it began to execute")
	assert.Nil(t, levels(t, []replica.Replica{saved}, nil, Options{}).Total.OldestWaitSeconds)
}
