package apf_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// logAt returns what a server logs at a verbosity: a level is added, serves, changes,
// quiesces, resumes and ends.
func logAt(t *testing.T, verbosity int) (text string) {
	t.Helper()
	t.Run("log at "+strconv.Itoa(verbosity), func(t *testing.T) {
		log := logs.Record(t, strconv.Itoa(verbosity))
		serveForAWhile(t)
		text = log.String()
	})
	return text
}

func serveForAWhile(t *testing.T) {
	t.Helper()
	s := newServer(t, apf.Config{Total: 10})
	levels := levelObjects{levelWithQueues("queue", 10), levelWithoutQueues("shut", 0), levelWithoutQueues("catch-all", 0)}
	s.apply(t, levels, schemaOf("somebody", "queue"), schemaOf("runaway", "shut"), schemaOf("lost", "nowhere"))
	s.Engine().Rebalance()
	assert.False(t, s.handle(t.Context(), digestOf("runaway"), func() {}).executed)
	s.handle(t.Context(), digestOf("somebody"), func() {
		s.apply(t, nil)
		s.apply(t, levels, schemaOf("somebody", "queue"))
		s.apply(t, nil)
	})
	waitOnce(t)
}

// waitOnce makes a request wait until another ends.
func waitOnce(t *testing.T) {
	t.Helper()
	s := newServer(t, apf.Config{Total: 1})
	s.apply(t, levelObjects{levelWithQueues("queue", 1), levelWithoutQueues("catch-all", 0)}, schemaOf("somebody", "queue"))
	done := make(chan struct{})
	s.handle(t.Context(), digestOf("somebody"), func() {
		go func() {
			defer close(done)
			s.handle(context.Background(), digestOf("somebody"), func() {})
		}()
		eventually.Holds(t, "the second request waits", func(a *eventually.Attempt) {
			require.Equal(a, 1, s.Engine().Report().Levels[2].Figures.Waiting)
		})
	})
	<-done
}

func TestLogSaysWhatFlowControlDoesAtTheVerbositiesOfTheLibrary(t *testing.T) {
	logs := map[int]string{}
	for verbosity := range 8 {
		logs[verbosity] = logAt(t, verbosity)
	}
	for _, test := range []struct {
		name      string
		verbosity int
		line      string
	}{
		{"flow control is made", 2, `"Creating flow control" totalSeats=10`},
		{"a level is added", 2, `"Priority level configured" priorityLevel="queue" change="added" type="Queue" shares=10 queues=4 handSize=1 queueLengthLimit=50`},
		{"limits change", 2, `"Limits of a priority level computed" priorityLevel="queue" currentLimit=10 nominalLimit=10`},
		{"a mandatory level is missing", 3, `priorityLevel="exempt" change="supplied"`},
		{"a level quiesces", 3, `priorityLevel="queue" change="quiescing"`},
		{"a level resumes", 3, `priorityLevel="queue" change="resumed"`},
		{"a level has drained", 3, `priorityLevel="queue" change="removed"`},
		{"limits stay", 4, `priorityLevel="shut" currentLimit=0 nominalLimit=0 lowerLimit=0 upperLimit=0`},
		{"a level is retained", 5, `priorityLevel="catch-all" change="retained"`},
		{"a configuration is applied", 5, `"Configuration of flow control applied" flowSchemas=4 danglingFlowSchemas=1`},
		{"a flow schema takes effect", 5, `"Flow schema is in effect" flowSchema="somebody" matchingPrecedence=100 priorityLevel="queue"`},
		{"a request is rejected", 5, `"Request rejected" verb="get" path="" resource="configmaps" user="runaway" flowSchema="runaway"`},
		{"a request waited", 5, `"Request starts after waiting in its queue"`},
		{"a flow schema has no level", 6, `"Flow schema is ignored because its priority level does not exist" flowSchema="lost" priorityLevel="nowhere"`},
		{"a request does not wait", 7, `"Request starts at once"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Contains(t, logs[test.verbosity], test.line)
			assert.NotContains(t, logs[test.verbosity-1], test.line)
		})
	}
	assert.Empty(t, logs[0])
}
