package explain

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

func TestTheTableSaysWhatAndWhy(t *testing.T) {
	in := input()
	in.Replicas = []replica.Replica{state("workload-low", replica.LevelMetrics{Nominal: new(245), Lower: new(24), Upper: new(600), Current: new(100), SeatsInUse: new(7)}, 0, 7,
		replica.Queue{Index: 5, Executing: 7, SeatsUsed: 7})}
	a := explained(t, in, "list secrets -n ci --limit=500 --as=system:serviceaccount:ci:runner")
	var out strings.Builder
	require.NoError(t, a.WriteTable(&out, table.Options{}, true))
	assert.Contains(t, out.String(), "Outcome:         executes. 7 of 100 seats are in use. No request waits.\n\nGroups:  ")
	assert.Contains(t, out.String(), "https://10.0.0.1:6443      7    100          7        0  executes  ")

	out.Reset()
	a.PriorityLevel.UID, a.FlowSchema.UID = "l-uid", "s-uid"
	require.NoError(t, a.WriteTable(&out, table.Options{}, false))
	assert.NotContains(t, out.String(), "uid")
	require.NoError(t, a.WriteTable(&out, table.Options{Wide: true}, false))
	assert.Regexp(t, `(?s)UID s-uid.*UID l-uid`, out.String())

	out.Reset()
	exempt := explained(t, input(), "update pods web --as=root --as-group=system:masters")
	require.NoError(t, exempt.WriteTable(&out, table.Options{}, false))
	assert.NotContains(t, out.String(), "Limits:")
	assert.NotContains(t, out.String(), "FIRST DIFFERENCE")
	assert.Contains(t, out.String(), "Seats:           1, then 10 for 6ms after the response\n")
}

func TestManyRequestsAreATable(t *testing.T) {
	var rows Rows
	for _, line := range []string{"get pods web --as=system:serviceaccount:ci:sa", "list deploy -A --as=system:node:n1 --as-group=system:nodes", "deletecollection pods a"} {
		requests, err := lineParser().Line(line)
		require.NoError(t, err)
		rows = append(rows, New(input()).ExplainAll(line, requests)...)
	}
	var out strings.Builder
	require.NoError(t, rows.WriteTable(&out, table.Options{}))
	assert.Equal(t, `REQUEST                  USER                         FLOW SCHEMA       PRIORITY LEVEL  FLOW                           SEATS  OUTCOME
get pods web -n default  system:serviceaccount:ci:sa  service-accounts  workload-low    system:serviceaccount:ci:sa        1  unknown
list deployments.apps    system:node:n1               system-nodes      system          system:node:n1               1 to 10  unknown
deletecollection pods a                                                                                                       error: deletecollection takes no name; to delete "a", use the verb delete
`, out.String())
}

func TestATerminalOf60ColumnsIsEnough(t *testing.T) {
	in := input()
	in.Replicas = []replica.Replica{state("global-default", replica.LevelMetrics{Nominal: new(49), Lower: new(25), Upper: new(600), Current: new(49), SeatsInUse: new(49)}, 1, 49, replica.Queue{Index: 0})}
	in.Configuration.FlowSchemas = append(in.Configuration.FlowSchemas, objects.Schema(strings.Repeat("n", 253), "system", 2, flowcontrolv1.PolicyRulesWithSubjects{}))
	a := explained(t, in, "list secrets -A")
	var out strings.Builder
	require.NoError(t, a.WriteTable(&out, table.Options{Width: 60}, true))
	rows := New(in).ExplainAll(strings.Repeat("x", 200), []Request{{}})
	require.NoError(t, rows.WriteTable(&out, table.Options{Width: 60}))
	for line := range strings.Lines(out.String()) {
		assert.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), 60, line)
	}
}

func TestNoUserCanWriteToTheTerminal(t *testing.T) {
	a, err := New(input()).Explain(Request{Verb: "get", Path: "/healthz", User: "mallory\x1b[2J"})
	require.NoError(t, err)
	var out strings.Builder
	require.NoError(t, a.WriteTable(&out, table.Options{}, true))
	assert.NotContains(t, out.String(), "\x1b")
}

// TestTheJSONFormIsStable fails if a field is renamed or removed.
func TestTheJSONFormIsStable(t *testing.T) {
	in := input()
	in.Replicas = []replica.Replica{state("global-default", replica.LevelMetrics{Nominal: new(49), Lower: new(25), Upper: new(600), Current: new(49), SeatsInUse: new(49)}, 1, 49, replica.Queue{Index: 0})}
	text, err := json.Marshal(explained(t, in, "list secrets"))
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, json.Unmarshal(text, &object))
	for path, want := range map[string][]string{
		"":                     {"request", "flowSchema", "priorityLevel", "flow", "seats", "outcome", "replicas", "trace", "notes"},
		"request":              {"user", "groups", "verb", "method", "url", "resourceRequest", "resource", "namespace"},
		"flowSchema":           {"name", "matchingPrecedence", "distinguisherMethod", "rule", "subject"},
		"priorityLevel":        {"name", "type", "queues", "handSize", "queueLengthLimit", "limits"},
		"priorityLevel.limits": {"nominal", "lower", "upper", "current", "inferred"},
		"flow":                 {"distinguisher", "hash", "hand"},
		"seats":                {"initial", "atMost", "final", "latencySeconds", "width", "estimator", "method", "source", "storedObjects", "storedBytes", "countedObjects", "bound", "levelBound", "why"},
		"outcome":              {"decision", "why"},
		"replicas.0":           {"name", "outcome", "limits", "seatsInUse", "executing", "waiting", "hand"},
		"replicas.0.hand.0":    {"index", "waiting", "executing", "seatsInUse", "workSeatSeconds", "chosen"},
		"trace.0":              {"flowSchema", "matchingPrecedence", "priorityLevel", "matches", "reasons"},
		"trace.0.reasons.0":    {"field", "message"},
	} {
		assert.ElementsMatch(t, want, keys(object, path), path)
	}
}

// keys returns the keys of the object at a path.
func keys(value any, path string) []string {
	for step := range strings.SplitSeq(path, ".") {
		switch v := value.(type) {
		case []any:
			value = v[0]
		case map[string]any:
			if step != "" {
				value = v[step]
			}
		}
	}
	var out []string
	for key := range value.(map[string]any) {
		out = append(out, key)
	}
	return out
}
