package simulate_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// compared is an elephant and a mouse in one queue and in many.
func compared(t *testing.T) *simulate.Report {
	t.Helper()
	trace := sorted(poisson("elephant", 400, 50*time.Millisecond, 30*time.Second, 1), poisson("<mouse>", 10, 50*time.Millisecond, 30*time.Second, 2))
	one, many := busy(10, 1, 1, 100), busy(10, 64, 2, 50)
	one.Name, many.Name = "one", "many"
	many.Configuration.Notes = []string{"Only many says this."}
	options := trace.options()
	options.Engine = simulate.Library // where the mouse waits behind the elephant in one queue
	report := run(t, options, one, many)
	report.Trace.Name = "trace.jsonl"
	return report
}

func TestDifferencesFromTheBaselineAreMarked(t *testing.T) {
	report := compared(t)
	var mouse []simulate.Difference
	for _, d := range report.Differences {
		if d.Kind == simulate.OfFlow && d.Name == "<mouse>" {
			mouse = append(mouse, d)
		}
		assert.Equal(t, "many", d.Configuration)
		assert.Equal(t, d.After < d.Before, d.Gains)
	}
	require.Len(t, mouse, 3)
	for _, d := range mouse {
		assert.True(t, d.Gains, "%+v", d)
	}
	assert.Equal(t, "rejected", mouse[0].Metric, "the largest is first")
}

func TestFlowsThatAreHeavyInOneResultAreInAll(t *testing.T) {
	trace := sorted(poisson("elephant", 400, 50*time.Millisecond, 20*time.Second, 1), poisson("mouse", 200, 50*time.Millisecond, 20*time.Second, 2))
	for i := range trace {
		if trace[i].User == "mouse" {
			trace[i].Namespace = "garden"
		}
	}
	one, other := busy(10, 64, 2, 50), busy(10, 64, 2, 50)
	other.Name = "other"
	other.Configuration.FlowSchemas[0].Spec.DistinguisherMethod.Type = "ByNamespace"
	options := trace.options()
	options.Flows = 1
	report := run(t, options, one, other)
	for i, want := range [][]string{{"elephant"}, {"shop"}} {
		var got []string
		for _, f := range report.Results[i].Flows {
			got = append(got, f.Distinguisher)
		}
		assert.Equal(t, want, got)
	}
	// With the same flows, each is in both.
	third := busy(10, 64, 2, 50)
	third.Name = "third"
	third.Configuration.FlowSchemas = append(third.Configuration.FlowSchemas, schema("mice", "catch-all"))
	third.Configuration.FlowSchemas[1].Spec.MatchingPrecedence = 50
	third.Configuration.FlowSchemas[1].Spec.Rules[0].Subjects[0].Group.Name = "mice"
	for i := range trace {
		if trace[i].User == "mouse" {
			trace[i].Groups = []string{"mice", "system:authenticated"}
		}
	}
	report = run(t, options, one, third)
	assert.Len(t, report.Results[0].Flows, 2)
	assert.Len(t, report.Results[1].Flows, 2)
	moved := 0
	for _, d := range report.Differences {
		if d.From == "everyone" && d.To == "mice" {
			moved++
		}
	}
	assert.Positive(t, moved)
}

func TestEqualConfigurationsDoNotDiffer(t *testing.T) {
	a, b := busy(10, 64, 2, 50), busy(10, 64, 2, 50)
	b.Name = "the same"
	report := run(t, poisson("alice", 300, 50*time.Millisecond, 20*time.Second, 1).options(), a, b)
	assert.Empty(t, report.Differences)
	assert.NotZero(t, report.Results[0].Rejected)
}

func TestTheReportIsATableForPeople(t *testing.T) {
	report := compared(t)
	var out bytes.Buffer
	require.NoError(t, report.WriteTable(&out, table.Options{}))
	text := out.String()
	for _, want := range []string{
		"TRACE trace.jsonl (scenario), ", "\nCONFIGURATIONS\n", "\nPRIORITY LEVELS, in seats of all replicas\n", "\nFLOW SCHEMAS\n",
		"\nFLOWS\n", "queue-full", "p99 better", "\nNote: The loop is open: ", "\nNote: many: Only many says this.\n",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "ASSERTIONS")
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "<mouse>") && strings.Contains(line, " one ") {
			assert.NotContains(t, line, "better", "the baseline is marked")
		}
	}
}

func TestTheReportIsJSONWithAStableForm(t *testing.T) {
	text, err := json.Marshal(compared(t))
	require.NoError(t, err)
	var fields struct {
		Results []struct {
			Name           string
			Engine         string
			PriorityLevels []map[string]any
			Flows          []map[string]any
		}
	}
	require.NoError(t, json.Unmarshal(text, &fields))
	require.Len(t, fields.Results, 2)
	assert.Equal(t, "upstream", fields.Results[0].Engine)
	level := fields.Results[0].PriorityLevels[0]
	for _, field := range []string{"name", "type", "requests", "dispatched", "rejected", "rejectedBy", "wait", "nominal", "limit", "seats", "borrowed", "lent"} {
		assert.Contains(t, level, field)
	}
	assert.Contains(t, fields.Results[0].Flows[0], "distinguisher")
}
