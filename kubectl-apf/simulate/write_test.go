package simulate_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

// small is five requests on three configurations. Its figures follow by hand: on one seat, the second of
// mouse finds two that wait, or one where no more may wait.
func small(t *testing.T) *simulate.Report {
	t.Helper()
	all := requests{
		get("oliphant", 0, 2*time.Second), get("anna", 200*time.Millisecond, 500*time.Millisecond), get("mouse", 500*time.Millisecond, time.Second),
		get("oliphant", time.Second, time.Second), get("mouse", 1200*time.Millisecond, 0),
	}
	all[1].Groups = []string{"system:unauthenticated"} // on the level catch-all
	all[1].Wait, all[2].Wait = &metav1.Duration{Duration: 10 * time.Millisecond}, &metav1.Duration{Duration: 11 * time.Millisecond}
	all[4].Rejected = "queue-full" // so it executes for a second, the median
	baseline, wide, short := busy(1, 1, 1, 2), busy(2, 1, 1, 2), busy(1, 1, 1, 1)
	baseline.Name, wide.Name, short.Name = simulate.Baseline, "wide", "short"
	wide.Configuration.Notes = []string{"Only wide says this."}
	options := all.with(func(h *trace.Header) { h.LeftOut.Notes = []string{"The log has no leases."} })
	options.Engine = simulate.Library // one queue is first come, first served
	report := run(t, options, baseline, wide, short)
	report.Trace.Name = "trace.jsonl"
	return report
}

func TestTheReportIsATableForPeople(t *testing.T) {
	report := small(t)
	var assertions []*simulate.Assertion
	for _, text := range []string{"wait.p99 < 1s", "rejected < 1", "level.gone.requests < 1", "schema.gone.rejected == 0"} {
		a, err := simulate.ParseAssertion(text)
		require.NoError(t, err)
		assertions = append(assertions, a)
	}
	assert.False(t, report.Assert(assertions))
	var out bytes.Buffer
	require.NoError(t, report.WriteTable(&out, table.Options{}))
	titles := regexp.MustCompile(`(?m)^[A-Z]{2,}(?: [A-Z]+)*`).FindAllString(out.String(), -1)
	assert.Equal(t, []string{
		"TRACE", "CONFIGURATIONS", "NAME", "PRIORITY LEVELS", "LEVEL", "FLOW SCHEMAS", "FLOW SCHEMA", "FLOWS", "FLOW", "ASSERTIONS", "ASSERTION",
	}, titles)
	for _, row := range []string{
		"busy short 4 2 queue-full 1 1.0 1.0 1.0 0.0 0.0 0 1.5s 1.5s 1.5s p50 better, p99 better, rejected worse\n", "exempt wide 0 0 - - 0.0 0.0 0.0 0.0 0 0 0 0\n",
		"mouse everyone busy wide 2.0 2 1 0 0 800ms 800ms p50 better, p99 better, rejected better\n", "wait.p99 < 1s wide yes 800ms\n", "rejected < 1 short no 2\n",
		"level.gone.requests < 1 wide no the priority level \"gone\" does not exist\n", "\nNote: The log has no leases.\n", "\nNote: wide: Only wide says this.\n",
	} {
		assert.Contains(t, regexp.MustCompile(" +").ReplaceAllString(out.String(), " "), row)
	}
	var schemas []string
	for _, s := range report.Results[0].FlowSchemas {
		schemas = append(schemas, s.Name)
	}
	assert.Equal(t, []string{"everyone", "catch-all"}, schemas, "by level")
}

// A rejected request counts as much as a minute of waiting.
func TestDifferencesFromTheBaselineAreSortedBySize(t *testing.T) {
	var got []string
	for _, d := range small(t).Differences {
		better := map[bool]string{true: "better", false: "worse"}[d.Gains]
		got = append(got, fmt.Sprintf("%s %s %s %s %.3g to %.3g %s", d.Configuration, d.Kind, d.Name, d.Metric, d.Before, d.After, better))
	}
	assert.Equal(t, []string{
		"wide flow mouse rejected 0.5 to 0 better", "short flow oliphant rejected 0 to 0.5 worse",
		"wide level busy rejected 0.25 to 0 better", "wide schema everyone rejected 0.25 to 0 better",
		"short level busy rejected 0.25 to 0.5 worse", "short schema everyone rejected 0.25 to 0.5 worse",
		"short flow oliphant wait.p99 2 to 0 better",
		"wide level busy wait.p50 1.5 to 0 better", "wide schema everyone wait.p50 1.5 to 0 better",
		"short level busy wait.p50 1.5 to 0 better", "short schema everyone wait.p50 1.5 to 0 better",
		"wide flow oliphant wait.p99 2 to 0.5 better", "wide flow mouse wait.p50 1.5 to 0 better",
		"wide level busy wait.p99 2 to 0.8 better", "wide schema everyone wait.p99 2 to 0.8 better",
		"wide flow mouse wait.p99 1.5 to 0.8 better",
		"short level busy wait.p99 2 to 1.5 better", "short schema everyone wait.p99 2 to 1.5 better",
	}, got)
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

func TestTheReportIsJSONWithAStableForm(t *testing.T) {
	result := small(t).Results[2]
	result.Notes = result.Notes[:1]
	result.Levels = result.Levels[:2]
	text, err := json.Marshal(result)
	require.NoError(t, err)
	const calm = `"waited": 0, "rejected": 0, "wait": {"mean": 0, "p50": 0, "p90": 0, "p99": 0, "max": 0}`
	const none = `{"mean": 0, "min": 0, "max": 0}`
	const busy = `"requests": 4, "dispatched": 2, "waited": 1, "rejected": 2, "rejectedBy": {"queue-full": 2}, "seatSeconds": 3, "wait": {"mean": 0.75, "p50": 0, "p90": 1.5, "p99": 1.5, "max": 1.5}`
	assert.JSONEq(t, `{
		"name": "short", "engine": "library", "release": "1.37", "loop": "open", "replicas": 1, "total": 2, "seconds": 3, "read": 5,
		"requests": 5, "dispatched": 3, "waited": 1, "rejected": 2, "rejectedBy": {"queue-full": 2}, "seatSeconds": 3.5, "wait": {"mean": 0.5, "p50": 0, "p90": 1.5, "p99": 1.5, "max": 1.5},
		"priorityLevels": [
			{"name": "busy", "type": "Queue", `+busy+`, "nominal": 1, "lower": 1, "upper": 1, "limit": {"mean": 1, "min": 1, "max": 1},
				"seats": {"mean": 1, "min": 0, "max": 1}, "borrowed": `+none+`, "lent": `+none+`, "mostWaiting": 1},
			{"name": "catch-all", "type": "Reject", "requests": 1, "dispatched": 1, "seatSeconds": 0.5, `+calm+`, "nominal": 1, "lower": 1, "upper": 3, "limit": {"mean": 1, "min": 1, "max": 1},
				"seats": {"mean": 0.16666666666666666, "min": 0, "max": 1}, "borrowed": `+none+`, "lent": `+none+`, "mostWaiting": 0}
		],
		"flowSchemas": [
			{"name": "everyone", "priorityLevel": "busy", `+busy+`},
			{"name": "catch-all", "priorityLevel": "catch-all", "requests": 1, "dispatched": 1, "seatSeconds": 0.5, `+calm+`}
		],
		"flows": [
			{"priorityLevel": "busy", "flowSchema": "everyone", "distinguisher": "oliphant", "requests": 2, "dispatched": 1, "seatSeconds": 2, "waited": 0, "rejected": 1, "rejectedBy": {"queue-full": 1},
				"wait": {"mean": 0, "p50": 0, "p90": 0, "p99": 0, "max": 0}},
			{"priorityLevel": "busy", "flowSchema": "everyone", "distinguisher": "mouse", "requests": 2, "dispatched": 1, "seatSeconds": 1, "waited": 1, "rejected": 1, "rejectedBy": {"queue-full": 1},
				"wait": {"mean": 1.5, "p50": 1.5, "p90": 1.5, "p99": 1.5, "max": 1.5}},
			{"priorityLevel": "catch-all", "flowSchema": "catch-all", "distinguisher": "anna", "requests": 1, "dispatched": 1, "seatSeconds": 0.5, `+calm+`}
		],
		"notes": ["The loop is open: requests arrive as in the trace, even if clients would still be waiting for responses."]
	}`, string(text))
}
