package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// Percentiles are exact to 1 %, all else exactly, also of two histograms together.
func TestAHistogramIsExactToAPercent(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 2))
	for range lane.Pick(300, 5000) {
		var h, other histogram
		var all []time.Duration
		for range 1 + random.IntN(60) {
			d := time.Duration(random.Int64N(1 << random.IntN(45)))
			all = append(all, d)
			[]*histogram{&h, &other}[random.IntN(2)].add(d)
		}
		h.join(&other)
		slices.Sort(all)
		quantiles := []float64{0.01, 0.5, 0.9, 0.99, 1}
		for i, got := range h.quantiles(quantiles...) {
			want := all[max(1, int(math.Ceil(quantiles[i]*float64(len(all)))))-1]
			assert.InDelta(t, want, got, float64(want)/100)
			assert.LessOrEqual(t, got, h.max)
		}
		zeros, sum := 0, 0.0
		for _, d := range all {
			sum += d.Seconds()
			if d == 0 {
				zeros++
			}
		}
		assert.Equal(t, []int{len(all), zeros, int(all[len(all)-1])}, []int{int(h.count), int(h.zeros), int(h.max)})
		assert.InDelta(t, sum, h.sum, 1e-6)
	}
}

// A tenth of the longer wait and a millisecond, or a thousandth of the requests.
func TestWhichDifferencesAreNoted(t *testing.T) {
	for _, test := range []struct{ before, after, noted float64 }{{1, 1.105, 0}, {1, 1.115, 2}, {1.115, 1, 2}, {0.0005, 0.0014, 0}, {0, 0.001, 2}} {
		r := Report{}
		r.note(Difference{}, &Figures{Wait: Wait{P50: test.before, P99: test.before}}, &Figures{Wait: Wait{P50: test.after, P99: test.after}})
		assert.Len(t, r.Differences, int(test.noted), test)
	}
	for rejected, noted := range map[uint64]int{0: 0, 9: 0, 10: 1} {
		r := Report{}
		r.note(Difference{}, &Figures{Requests: 10_000, Rejected: rejected}, &Figures{Requests: 20_000})
		assert.Len(t, r.Differences, noted, rejected)
	}
}

func TestAFlowMayHaveAnotherSchemaOfItsLevel(t *testing.T) {
	of := func(schema string, wait float64) Result {
		return Result{Name: schema, Flows: []Flow{{Level: "l", Schema: schema, Distinguisher: "u", Figures: Figures{Wait: Wait{P50: wait}}}}}
	}
	r := Report{Results: []Result{of("a", 1), of("b", 2)}}
	r.compare()
	assert.Equal(t, []Difference{{Configuration: "b", Kind: OfFlow, Name: "u", Metric: "wait.p50", Before: 1, After: 2, From: "a", To: "b"}}, r.Differences)
}

func TestWhatContradictsTheTrace(t *testing.T) {
	of := func(requests, waited, rejected uint64) Result {
		return Result{Name: Baseline, Figures: Figures{Requests: requests, Waited: waited, Rejected: rejected}}
	}
	candidate := of(9, 0, 3)
	candidate.Name = "candidate"
	for _, test := range []struct {
		then Recorded
		now  Result
		says string
	}{
		{Recorded{Rejected: 1}, of(9, 0, 0), "In the trace 1 requests were rejected. In the baseline none is, and none waits. "},
		{Recorded{Rejected: 1}, of(9, 0, 1), ""},
		{Recorded{Rejected: 1}, of(9, 1, 0), ""},
		{Recorded{Told: 2, Waited: 1}, of(9, 0, 3), ""},
		{Recorded{Told: 2}, of(9, 0, 3), "In the trace no request waited, and none was rejected. The baseline rejects 3 of 9. "},
		{Recorded{Told: 2}, of(9, 5, 0), ""},
		{Recorded{}, of(9, 0, 3), "In the trace no request was rejected. The baseline rejects 3 of 9. "},
		{Recorded{}, candidate, ""},
	} {
		got := test.then.doubt(&test.now)
		assert.Equal(t, test.says == "", got == "", got)
		assert.True(t, strings.HasPrefix(got, test.says), got)
	}
}

// A duration that is unknown is the median of the kind, of the verb, or of all; and follows what comes.
func TestServiceTimesAreLearned(t *testing.T) {
	s := newServiceTimes()
	unknown := func(verb, resource string) float64 {
		return s.of(&trace.Request{Verb: verb, Resource: resource}).Seconds()
	}
	learn := func(n int, verb, resource string, d time.Duration) {
		for range n {
			s.learn(&trace.Request{Verb: verb, Resource: resource, Execution: &metav1.Duration{Duration: d}})
		}
	}
	assert.Equal(t, fallback.Seconds(), unknown("get", "pods"))
	learn(10, "get", "pods", 10*time.Millisecond)
	learn(12, "get", "nodes", 100*time.Millisecond)
	learn(30, "list", "pods", time.Second)
	for request, want := range map[[2]string]float64{{"get", "pods"}: 0.01, {"get", "nodes"}: 0.1, {"get", "secrets"}: 0.1, {"list", "pods"}: 1, {"create", "pods"}: 1} {
		assert.InEpsilon(t, want, unknown(request[0], request[1]), 0.01, request)
	}
	learn(11, "get", "pods", 3*time.Second)
	assert.InEpsilon(t, 3, unknown("get", "pods"), 0.01, "more than a half")
	learn(enough, "get", "pods", 3*time.Second)
	learn(2*enough, "get", "pods", 7*time.Second)
	assert.InEpsilon(t, 3, unknown("get", "pods"), 0.01, "it knows enough")

	hour := &metav1.Duration{Duration: time.Hour}
	assert.InEpsilon(t, 3, s.of(&trace.Request{Verb: "watch", Resource: "pods", Latency: hour}).Seconds(), 0.01, "a watch holds its seats until its initial events are sent")
	assert.Equal(t, time.Hour, s.of(&trace.Request{Verb: "get", Resource: "pods", Latency: hour}))
	assert.Zero(t, s.of(&trace.Request{Verb: "get", Resource: "pods", Latency: hour, Wait: &metav1.Duration{Duration: 2 * time.Hour}}))
	assert.Equal(t, time.Hour, s.of(&trace.Request{Verb: "get", Resource: "pods", Execution: hour, Latency: &metav1.Duration{Duration: 2 * time.Hour}}))
	assert.Equal(t, []string{
		"The execution of 2 requests is their latency less their wait: the trace has no execution of theirs.",
		"The execution of 8 requests is the median of their kind: the trace has none, or they were rejected then.",
		"The execution of 1 requests is 5ms: the trace has no execution of any request before them.",
	}, s.notes())
}
