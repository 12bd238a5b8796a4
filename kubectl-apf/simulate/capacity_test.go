package simulate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

func TestExecutionTakesLongerThanThereAreProcessors(t *testing.T) {
	// In the trace, four requests of 100 ms shared two processors: each takes 50 ms alone,
	// but the first two, which began without them.
	var trace requests
	for i := range 4 {
		trace = append(trace, get("a", time.Duration(i)*time.Nanosecond, 100*time.Millisecond))
	}
	options := trace.options()
	options.Capacity.Processors = 2
	r := run(t, options, busy(10, 1, 1, 2)).Results[0]
	assert.InDelta(t, 0.4, r.SeatSeconds, 1e-6, "the same load takes as long as in the trace")
	r = run(t, options, busy(1, 1, 1, 10)).Results[0]
	assert.InDelta(t, 0.1+0.1+0.2/3+0.05, r.SeatSeconds, 1e-6, "one at a time is faster")
}

func TestRequestsThatUseEtcdDelayEachOther(t *testing.T) {
	const ms = time.Millisecond
	list := func(at time.Duration, more trace.ListOptions) trace.Request {
		r := get("a", at, 100*ms)
		r.Verb, r.Name, r.List = "list", "", &more
		return r
	}
	write := get("a", 2, 100*ms)
	write.Verb = "update"
	for _, test := range []struct {
		name    string
		another trace.Request
		seconds float64 // of execution of both, one at a time
	}{
		{"a get and a write", write, 0.1 + 0.05},
		{"a get and a further page of a list", list(2, trace.ListOptions{Continue: true}), 0.1 + 0.05},
		{"a get and an exact list", list(2, trace.ListOptions{ResourceVersion: "7", ResourceVersionMatch: "Exact"}), 0.1 + 0.05},
		{"a get and a list of the cache", list(2, trace.ListOptions{}), 0.1 + 0.1},
	} {
		t.Run(test.name, func(t *testing.T) {
			options := requests{get("a", 1, 100*ms), test.another}.options()
			options.Capacity.Etcd = 1
			assert.InDelta(t, 0.2, run(t, options, busy(10, 1, 1, 2)).Results[0].SeatSeconds, 1e-6, "the same load takes as long as in the trace")
			assert.InDelta(t, test.seconds, run(t, options, busy(1, 1, 1, 10)).Results[0].SeatSeconds, 1e-6, "one at a time is faster, where both use etcd")
			options.Capacity.Processors = 100
			assert.InDelta(t, test.seconds, run(t, options, busy(1, 1, 1, 10)).Results[0].SeatSeconds, 1e-6, "there are processors enough")
		})
	}
}

func TestCapacitiesAreParsed(t *testing.T) {
	for text, want := range map[string]simulate.Capacity{
		"none": {}, "processors=2.5": {Processors: 2.5}, "etcd=8": {Etcd: 8}, "processors=2,etcd=8": {Processors: 2, Etcd: 8},
	} {
		got, err := simulate.ParseCapacity(text)
		require.NoError(t, err)
		require.Equal(t, want, got)
		require.Equal(t, text, got.String())
	}
	for text, says := range map[string]string{
		"disks=1":              `the capacity model "disks=1" is unknown: must be none, processors=NUMBER, etcd=NUMBER, or both with a comma between`,
		"etcd=1,etcd=2":        `the capacity model "etcd=1,etcd=2" names etcd twice`,
		"processors=1,etcd=":   `the number "" of etcd is invalid: `,
		"processors=NaN":       `the number "NaN" of processors is invalid: must be more than 0`,
		"etcd=0":               `the number "0" of etcd is invalid: must be more than 0`,
		"none,etcd=1":          `the capacity model "none,etcd=1" is unknown`,
		"processors=1,":        `the capacity model "processors=1," is unknown`,
		"processors=1 etcd=10": `the number "1 etcd=10" of processors is invalid: `,
	} {
		_, err := simulate.ParseCapacity(text)
		require.ErrorContains(t, err, says)
	}
}
