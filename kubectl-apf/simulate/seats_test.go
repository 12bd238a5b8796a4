package simulate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/lines"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// TestSeatsOfListsAreThoseThatExplainNames simulates lists without seats, one at a time, with
// each engine, and asks explain about the same list of the same server.
func TestSeatsOfListsAreThoseThatExplainNames(t *testing.T) {
	stored := trace.Stored{Objects: 700, Bytes: 900}
	facts := explain.Facts{kschema.GroupResource{Resource: "pods"}: {Objects: stored.Objects, Bytes: stored.Objects * stored.Bytes, Watchers: -1}}
	for _, release := range []configuration.Release{"1.33", "1.36"} {
		for _, engine := range engines() {
			candidate := busy(60, 1, 1, 2)
			candidate.Configuration.Release, candidate.Configuration.Own = release, engine == simulate.APF
			explainer := explain.New(explain.Input{Configuration: candidate.Configuration, Facts: facts})
			for line, options := range map[string]trace.ListOptions{
				"list pods -n shop --as=a":                        {},
				"list pods -n shop --as=a --limit=200":            {Limit: 200},
				"list pods -n shop --as=a --resource-version=0":   {ResourceVersion: "0"},
				"list pods -n shop --as=a --continue=x --limit=9": {Limit: 9, Continue: true},
			} {
				parsed, err := lines.Parse(line)
				require.NoError(t, err)
				answer, err := explainer.Explain(parsed)
				require.NoError(t, err)

				list := get("a", 0, time.Second)
				list.Verb, list.List = "list", &options
				o := requests{list}.with(func(h *trace.Header) { h.Stored = map[string]trace.Stored{"pods": stored} })
				o.Engine = engine
				simulated := run(t, o, candidate).Results[0]
				assert.InDelta(t, float64(answer.Seats.Width), simulated.SeatSeconds, 1e-6, "%s, %s, %s: %s", engine, release, line, answer.Seats.Why)
			}
		}
	}
}

func TestListsOfObjectsWhoseSizeTheTraceLacksAreSaid(t *testing.T) {
	list := get("a", 0, time.Second)
	list.Verb = "list"
	o := requests{list}.with(func(h *trace.Header) { h.Stored = map[string]trace.Stored{"pods": {Objects: 300}} })
	assert.Contains(t, run(t, o, busy(40, 1, 1, 2)).Results[0].Notes, "1 of them take the most seats that they may: the trace lacks the size of the objects.")
	counting := busy(40, 1, 1, 2)
	counting.Configuration.Release, o.Engine = "1.33", simulate.Library
	assert.NotContains(t, strings.Join(run(t, o, counting).Results[0].Notes, " "), "lacks the size", "it counts objects")
}
