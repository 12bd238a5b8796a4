package command

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

const (
	// small is a level of one seat, of 600, with short queues.
	small = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: small
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 0
    borrowingLimitPercent: 0
    limitResponse:
      type: Queue
      queuing: {queues: 1, handSize: 1, queueLengthLimit: 2}
---
`
	// invalid has hands that are larger than the number of queues.
	invalid = `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata:
  name: workload-low
spec:
  type: Limited
  limited:
    nominalConcurrencyShares: 1
    limitResponse:
      type: Queue
      queuing: {queues: 1, handSize: 2, queueLengthLimit: 2}
`
)

// writeTrace writes a trace of 50 requests of the user robot, all within 50 ms.
func writeTrace(t *testing.T, name string, user ...string) {
	t.Helper()
	user = append(user, "robot")
	f, err := trace.Create(name, trace.Header{Source: trace.SourceScenario})
	require.NoError(t, err)
	defer f.Abort()
	for i := range 50 {
		require.NoError(t, f.Write(&trace.Request{
			Arrival: now.Add(time.Duration(i) * time.Millisecond), User: user[0], Groups: trace.WellKnownGroups(user[0]),
			Verb: "get", APIVersion: "v1", Resource: "pods", Namespace: "shop", Execution: &metav1.Duration{Duration: 100 * time.Millisecond},
		}))
	}
	require.NoError(t, f.Commit())
}

func TestSimulate(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTrace(t, "trace.jsonl")
	writeTrace(t, "packed.jsonl.zst")
	writeTrace(t, "scaler.trace", "system:serviceaccount:shop:scaler")
	write(t, "scaler.log", strings.Replace(throttledLine, "07:08:00", "07:08:10", 1))
	write(t, "same.yaml", flowSchema)
	write(t, "small.yaml", small+strings.ReplaceAll(flowSchema, "workload-low", "small"))
	invoke(t, []invocation{
		{"the baseline alone", []string{"--trace=packed.jsonl.zst", "--release=1.33"}, statusOK, []string{"TRACE packed.jsonl.zst (scenario)", "baseline", "library", "1.33", "global-default"}},
		{"a client without its limit", []string{"--trace=scaler.trace", "--client-log=system:serviceaccount:shop:scaler=scaler.log"}, statusOK, []string{"CLIENTS WITHOUT THEIR LIMITS", "workload-low", "nobody", "has 1 wait for its own limit, within 1 s. It then sent 50 requests"}},
		{"the engine of this server", []string{"--trace=trace.jsonl", "--engine=apf"}, statusOK, []string{"baseline  apf"}},
		{"tenants of this server", []string{"--trace=trace.jsonl", "--engine=apf", "--flow-control-tenants=service-account-namespaces"}, statusOK, []string{"baseline  apf"}},
		{"a candidate alone", []string{"--trace=trace.jsonl", "-f", "same.yaml"}, statusOK, []string{"same ", "workload-low"}},
		{"a comparison", []string{"--trace=trace.jsonl", "-f", "small.yaml", "--compare"}, statusOK, []string{"queue-full", "rejected worse"}},
		{"two candidates of one name", []string{"--trace=trace.jsonl", "-f", "same.yaml", "-f", "same.yaml"}, statusOK, []string{"same-2"}},
		{"the baseline in a file", []string{"--trace=trace.jsonl", "--baseline=small.yaml"}, statusOK, []string{"small "}},
		{"an assertion that holds", []string{"--trace=trace.jsonl", "--assert=rejected == 0"}, statusOK, []string{"ASSERTIONS", "yes"}},
		{"an assertion that does not", []string{"--trace=trace.jsonl", "-f", "small.yaml", "--compare", "--assert=level.small.rejected < 1%", "--assert=requests == 50"}, statusFindings, []string{"level.small.rejected < 1%", "no "}},
		{"a closed loop", []string{"--trace=trace.jsonl", "--loop=closed"}, statusOK, []string{"The loop is closed"}},
		{"two servers", []string{"--trace=trace.jsonl", "--replicas=2"}, statusOK, []string{"1200"}},
	}, "simulate")
}

func TestSimulateWritesJSON(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTrace(t, "trace.jsonl")
	got := run(t, "simulate", "--trace=trace.jsonl", "-o", "json", "--total=30")
	require.Zero(t, got.status, got.errOut)
	var report simulate.Report
	require.NoError(t, json.Unmarshal([]byte(got.out), &report))
	assert.Equal(t, 30, report.Results[0].Total)
	assert.Equal(t, uint64(50), report.Results[0].Requests)
}

func TestWhatCannotBeSimulatedIsOneSentence(t *testing.T) {
	t.Chdir(t.TempDir())
	writeTrace(t, "trace.jsonl")
	whole, err := os.ReadFile("trace.jsonl")
	require.NoError(t, err)
	write(t, "cut.jsonl", string(whole[:len(whole)-20]))
	write(t, "empty.jsonl", strings.SplitAfter(string(whole), "\n")[0])
	write(t, "invalid.yaml", invalid)
	invoke(t, []invocation{
		{"no trace", nil, statusFailed, []string{"--trace is required"}},
		{"a trace that is absent", []string{"--trace=gone.jsonl"}, statusFailed, []string{"gone.jsonl"}},
		{"a trace that is cut off", []string{"--trace=cut.jsonl"}, statusFailed, []string{"cut.jsonl: line 51 is cut off"}},
		{"a trace without requests", []string{"--trace=empty.jsonl"}, statusFailed, []string{"empty.jsonl: the trace is empty"}},
		{"an invalid configuration", []string{"--trace=trace.jsonl", "-f", "invalid.yaml"}, statusFailed, []string{`PriorityLevelConfiguration "workload-low" is invalid: `}},
		{"a file that is absent", []string{"--trace=trace.jsonl", "-f", "gone.yaml"}, statusFailed, []string{"gone.yaml"}},
		{"nothing to compare", []string{"--trace=trace.jsonl", "--compare"}, statusFailed, []string{"--compare requires a candidate: -f"}},
		{"an assertion that does not parse", []string{"--trace=trace.jsonl", "--assert=rejected <"}, statusFailed, []string{`--assert: the assertion "rejected <" must be `}},
		{"a log of nobody", []string{"--trace=trace.jsonl", "--client-log=a.log"}, statusFailed, []string{`--client-log: "a.log" must be USER=PATH`}},
		{"an engine that is none", []string{"--trace=trace.jsonl", "--engine=mine"}, statusFailed, []string{`the engine "mine" is unknown: must be library or apf`}},
		{"a release that is none", []string{"--trace=trace.jsonl", "--release=2.0"}, statusFailed, []string{"2.0"}},
	}, "simulate")
}

func TestProgressIsToldEveryTwoSeconds(t *testing.T) {
	var out, errOut bytes.Buffer
	env := environment(&out, &errOut)
	clock := clocktesting.NewFakeClock(now)
	env.Clock = clock
	line := progressLine{env: env, begun: now}
	tell := func(after time.Duration) {
		clock.Step(after)
		line.tell(simulate.Progress{Name: "baseline", Requests: 500, Of: 2000, Simulated: 90 * time.Second})
	}
	tell(time.Second)
	assert.Empty(t, errOut.String())
	tell(time.Second)
	tell(time.Second)
	assert.Equal(t, "baseline: 500 requests (25 %), 1m30s simulated in 2s\n", errOut.String())
	errOut.Reset()
	line.quiet = true
	tell(time.Minute)
	assert.Empty(t, errOut.String())
}
