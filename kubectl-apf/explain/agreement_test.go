package explain

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/requests"
)

// The trace compares the rules one at a time, the engine by its index, which package classify compares with the
// library's. e2e/agreement compares both with servers.
func TestTheTraceAgreesWithTheIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 41))
	chosen := map[string]int{}
	for round := range lane.Pick(10, 100) {
		c := builtIn()
		if round > 0 {
			c.FlowSchemas = append(c.FlowSchemas, requests.FlowSchemas(random, 40)...)
		}
		e := New(Input{Configuration: c, Now: epoch})
		for range 500 {
			line := requests.Line(random)
			parsed, err := lineParser().Line(line)
			require.NoError(t, err, line)
			require.Len(t, parsed, 1)
			a, err := e.Explain(parsed[0])
			require.NoError(t, err, line)
			h, err := parsed[0].http()
			require.NoError(t, err)
			requireTrace(t, e, a, h)
			chosen[a.FlowSchema.Name]++
		}
	}
	assert.Greater(t, len(chosen), 40, "the requests are spread over many flow schemas")
}

// requireTrace requires that the flow schema is the first without a mismatch.
func requireTrace(t *testing.T, e *Explainer, a Answer, h httpRequest) {
	t.Helper()
	last := len(a.Trace) - 1
	require.Equal(t, a.FlowSchema.Name, a.Trace[last].FlowSchema)
	require.True(t, a.Trace[last].Matches)
	for i, step := range a.Trace[:last] {
		require.False(t, step.Matches)
		require.NotEmpty(t, step.Reasons)
		require.Equal(t, e.inForce.Schemas()[i].Name, step.FlowSchema)
	}
	begun := e.inForce.Begin()
	defer begun.End()
	filter.FillAttributes(&begun.Attributes, h.info, &user.DefaultInfo{Name: a.Request.User, Groups: a.Request.Groups})
	begun.Classify()
	require.Equal(t, begun.Schema().Name, a.FlowSchema.Name)
	if begun.Level().Queues > 1 {
		require.Equal(t, begun.Distinguisher, a.Flow.Distinguisher)
	}
	if begun.MaxWidth() > 0 {
		require.Equal(t, begun.MaxWidth(), a.Seats.LevelBound)
	}
}
