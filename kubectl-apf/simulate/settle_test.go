package simulate_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Nobody waited in a log of a running server: 100 requests a second of 1.2 s hold 120 seats of
// workload-low, which has 245 and lends 90 % of them.
func TestATraceBeginsWithTheLimitsThatItSettles(t *testing.T) {
	calm := poisson("system:serviceaccount:shop:robot", 100, 1200*time.Millisecond, time.Minute, 1)
	for i := range calm {
		calm[i].Groups, calm[i].Wait = []string{"system:serviceaccounts", "system:authenticated"}, &metav1.Duration{Duration: time.Millisecond}
	}
	for _, engine := range engines() {
		t.Run(string(engine), func(t *testing.T) {
			options := calm.options()
			options.Engine = engine
			report := run(t, options, builtIn(t, simulate.Baseline, 600))
			r := report.Results[0]
			assert.Equal(t, 245, levelOf(t, &r, "workload-low").Nominal)
			assert.EqualValues(t, len(calm), r.Requests, "the beginning counts once")
			assert.EqualValues(t, len(calm), r.Read)
			assert.InDelta(t, 61.2, r.Seconds, 0.1)
			assert.Zero(t, r.Rejected)
			assert.Zero(t, r.Waited)
			assert.Equal(t, simulate.Recorded{Told: int64(len(calm))}, report.Trace.Recorded)
			assert.Empty(t, report.Doubt)
			assert.Equal(t, start(), report.Trace.Start.Truncate(time.Second))

			const few = 100 // seats, less than the servers had
			report = run(t, options, builtIn(t, simulate.Baseline, few))
			assert.NotZero(t, report.Results[0].Rejected)
			var out bytes.Buffer
			require.NoError(t, report.WriteTable(&out, table.Options{Width: 1000}))
			assert.Regexp(t, `^In the trace no request waited, and none was rejected\. The baseline rejects \d+ of \d+\. So the baseline is not what the API servers had: give their seats by --total, `, out.String())
			assert.Contains(t, out.String(), "; then 0 were rejected, and 0 of ")
			assert.Empty(t, run(t, options, builtIn(t, "a candidate", few)).Doubt, "a candidate may reject")
			calm[0].Rejected = "queue-full"
			assert.Empty(t, run(t, options, builtIn(t, simulate.Baseline, few)).Doubt, "the servers rejected too")
			assert.Contains(t, run(t, options, builtIn(t, simulate.Baseline, 600)).Doubt, "In the trace 1 requests were rejected. In the baseline none is, and none waits.")
			calm[0].Rejected = ""
		})
	}
}

// The requests that settle the limits have ended when the trace begins: its first one finds free seats.
func TestATraceBeginsWithFreeSeats(t *testing.T) {
	var burst requests
	for i := range 20 {
		burst = append(burst, get("alice", 29*time.Second+time.Duration(i)*time.Millisecond, time.Minute))
	}
	first := get("alice", 0, time.Second)
	for _, engine := range engines() {
		options := append(requests{first}, burst...).options()
		options.Engine = engine
		r := run(t, options, busy(2, 1, 1, 100)).Results[0]
		assert.Equal(t, map[string]uint64{"time-out": 18}, r.RejectedBy)
		assert.EqualValues(t, 3, r.Dispatched)
		assert.Zero(t, r.Waited)
	}
}
