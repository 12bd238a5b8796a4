package rejections

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// rejection returns a rejection of a user's request at a time.
func rejection(user string, reason stats.Reason, at time.Duration) Rejection {
	return Rejection{
		Schema: "schema", Distinguisher: user, Reason: reason, Queue: -1, Seats: 1, At: at,
		Attributes: &flow.Attributes{User: user, Verb: "get", Path: "/api"},
	}
}

func TestRecordHasTheCountAndTheLastRequest(t *testing.T) {
	var l Log
	assert.Empty(t, l.Records())
	l.Add(rejection("alice", stats.QueueFull, time.Second))
	l.Add(rejection("bob", stats.ConcurrencyLimit, 2*time.Second))
	last := rejection("alice", stats.QueueFull, 3*time.Second)
	last.Attributes = &flow.Attributes{User: "alice2", Verb: "list", Path: "/api/v1/pods"}
	last.Queue, last.Seats = 7, 10
	l.Add(last)
	l.Add(rejection("alice", stats.TimeOut, 4*time.Second))

	assert.Equal(t, []Record{
		{Schema: "schema", Distinguisher: "alice", Reason: stats.TimeOut, Count: 1, First: 4 * time.Second, Last: 4 * time.Second, User: "alice", Verb: "get", Path: "/api", Queue: -1, Seats: 1},
		{Schema: "schema", Distinguisher: "alice", Reason: stats.QueueFull, Count: 2, First: time.Second, Last: 3 * time.Second, User: "alice2", Verb: "list", Path: "/api/v1/pods", Queue: 7, Seats: 10},
		{Schema: "schema", Distinguisher: "bob", Reason: stats.ConcurrencyLimit, Count: 1, First: 2 * time.Second, Last: 2 * time.Second, User: "bob", Verb: "get", Path: "/api", Queue: -1, Seats: 1},
	}, l.Records())
	assert.Equal(t, 2, l.Flows(0))
	assert.Equal(t, 2, l.Flows(2*time.Second), "the last rejection of a record counts, not the first")
	assert.Equal(t, 1, l.Flows(3*time.Second))
	assert.Zero(t, l.Flows(5*time.Second))
}

func TestOldestRecordIsReplaced(t *testing.T) {
	var l Log
	for i := range Capacity {
		l.Add(rejection(fmt.Sprint(i), stats.QueueFull, time.Duration(i)))
	}
	l.Add(rejection("0", stats.QueueFull, Capacity))
	l.Add(rejection("new", stats.QueueFull, Capacity+1))
	records := l.Records()
	require.Len(t, records, Capacity)
	assert.Equal(t, "new", records[0].Distinguisher)
	assert.EqualValues(t, 1, records[0].Count)
	assert.Equal(t, "0", records[1].Distinguisher)
	assert.EqualValues(t, 2, records[1].Count)
	assert.Equal(t, "2", records[Capacity-1].Distinguisher, "the record of 1 was the oldest")

	l.Add(rejection("1", stats.QueueFull, Capacity+2))
	assert.Equal(t, "1", l.Records()[0].Distinguisher, "nothing is left of the former record")
	assert.EqualValues(t, 1, l.Records()[0].Count)
}

func TestLongNamesAreCutAndKeepTheirFlowsApart(t *testing.T) {
	var l Log
	long := strings.Repeat("x", 1<<20)
	l.Add(rejection(long+"1", stats.QueueFull, 0))
	l.Add(rejection(long+"2", stats.QueueFull, 0))
	records := l.Records()
	require.Len(t, records, 2)
	for _, r := range records {
		assert.Len(t, r.Distinguisher, maxLength)
		assert.Len(t, r.User, maxLength)
	}
}

func TestAFullLogDoesNotAllocate(t *testing.T) {
	var l Log
	all := make([]Rejection, 3*Capacity)
	for i := range all {
		all[i] = rejection(fmt.Sprint("user", i), stats.QueueFull, 0)
	}
	n := 0
	add := func() {
		l.Add(all[n%len(all)])
		n++
	}
	for range 10 * len(all) {
		add()
	}
	assert.Zero(t, testing.AllocsPerRun(1000, add))
}

func TestConcurrentRejectionsAreAllCounted(t *testing.T) {
	var l Log
	var running sync.WaitGroup
	for i := range 8 {
		running.Go(func() {
			for range 500 {
				l.Add(rejection(fmt.Sprint(i%4), stats.QueueFull, 0))
				l.Flows(0)
			}
		})
	}
	running.Wait()
	for _, r := range l.Records() {
		assert.EqualValues(t, 1000, r.Count)
	}
}
