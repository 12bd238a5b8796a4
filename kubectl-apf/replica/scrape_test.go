package replica_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// metrics133 are lines of a kube-apiserver 1.33.
const metrics133 = `# HELP apiserver_flowcontrol_current_executing_seats [BETA] Concurrency
# TYPE apiserver_flowcontrol_current_executing_seats gauge
apiserver_flowcontrol_current_executing_seats{flow_schema="exempt",priority_level="exempt"} 0
apiserver_flowcontrol_current_executing_seats{flow_schema="service-accounts",priority_level="workload-low"} 12
apiserver_flowcontrol_current_executing_seats{flow_schema="tools",priority_level="workload-low"} 3
apiserver_flowcontrol_request_concurrency_in_use{flow_schema="service-accounts",priority_level="workload-low"} 12
apiserver_flowcontrol_request_concurrency_in_use{flow_schema="tools",priority_level="workload-low"} 3
apiserver_flowcontrol_current_executing_requests{flow_schema="service-accounts",priority_level="workload-low"} 4
apiserver_flowcontrol_current_inqueue_requests{flow_schema="service-accounts",priority_level="workload-low"} 5
apiserver_flowcontrol_current_limit_seats{priority_level="workload-low"} 30
apiserver_flowcontrol_lower_limit_seats{priority_level="workload-low"} 25
apiserver_flowcontrol_upper_limit_seats{priority_level="workload-low"} 600
apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 245
apiserver_flowcontrol_request_concurrency_limit{priority_level="workload-low"} 245
apiserver_flowcontrol_demand_seats_average{priority_level="workload-low"} 1.5
apiserver_flowcontrol_demand_seats_high_watermark{priority_level="workload-low"} 20
apiserver_flowcontrol_demand_seats_smoothed{priority_level="workload-low"} 7.25
apiserver_flowcontrol_dispatched_requests_total{flow_schema="service-accounts",priority_level="workload-low"} 1.234567e+06
apiserver_flowcontrol_rejected_requests_total{flow_schema="service-accounts",priority_level="workload-low",reason="queue-full"} 9
apiserver_flowcontrol_rejected_requests_total{flow_schema="service-accounts",priority_level="workload-low",reason="time-out"} 1
# TYPE apiserver_flowcontrol_request_wait_duration_seconds histogram
apiserver_flowcontrol_request_wait_duration_seconds_bucket{execute="true",flow_schema="service-accounts",priority_level="workload-low",le="0"} 2
apiserver_flowcontrol_request_wait_duration_seconds_bucket{execute="true",flow_schema="service-accounts",priority_level="workload-low",le="+Inf"} 4
apiserver_flowcontrol_request_wait_duration_seconds_sum{execute="true",flow_schema="service-accounts",priority_level="workload-low"} 2.5
apiserver_flowcontrol_request_wait_duration_seconds_count{execute="true",flow_schema="service-accounts",priority_level="workload-low"} 4
apiserver_flowcontrol_request_wait_duration_seconds_sum{execute="false",flow_schema="service-accounts",priority_level="workload-low"} 15
apiserver_flowcontrol_request_wait_duration_seconds_count{execute="false",flow_schema="service-accounts",priority_level="workload-low"} 1
apiserver_flowcontrol_seat_fair_frac 2.3
apiserver_request_total{code="200"} 17
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="cluster",subresource="",verb="WATCH",version="v1"} 40
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="namespace",subresource="",verb="WATCH",version="v1"} 2
apiserver_longrunning_requests{component="apiserver",group="",resource="pods",scope="resource",subresource="log",verb="CONNECT",version="v1"} 9
apiserver_storage_objects{resource="deployments.apps"} 70
apiserver_storage_objects{resource="pods"} 1000
apiserver_storage_objects{resource="widgets.example.com"} -1
`

func scrape(t *testing.T, text string) replica.Metrics {
	t.Helper()
	state := read(replica.EndpointMetrics, text)
	require.Empty(t, state.Missing)
	return state.Metrics
}

func TestMetrics(t *testing.T) {
	m := scrape(t, metrics133)
	assert.Equal(t, replica.LevelMetrics{
		Nominal: new(245), Lower: new(25), Upper: new(600), Current: new(30), SeatsInUse: new(15),
		DemandHighWatermark: new(20.0), DemandSmoothed: new(7.25),
	}, m.Levels["workload-low"])
	assert.Equal(t, replica.SchemaMetrics{
		Waiting: new(5), Executing: new(4), SeatsInUse: new(12), Dispatched: new(uint64(1234567)),
		Rejected:    map[string]uint64{"queue-full": 9, "time-out": 1},
		WaitSeconds: new(17.5), Waits: new(uint64(5)),
	}, m.Schemas[replica.SchemaKey{Level: "workload-low", FlowSchema: "service-accounts"}])
	pods := schema.GroupResource{Resource: "pods"}
	assert.Equal(t, map[schema.GroupResource]int64{pods: 1000, {Group: "apps", Resource: "deployments"}: 70}, m.Objects)
	assert.Equal(t, map[schema.GroupResource]int64{pods: 42}, m.Watches)
	assert.Empty(t, m.Bytes)
}

func TestMetricsOfLaterReleases(t *testing.T) {
	m := scrape(t, `apiserver_storage_objects{resource="pods"} 1
apiserver_resource_objects{group="",resource="pods"} 1000
apiserver_resource_size_estimate_bytes{group="",resource="pods"} 1.5e+07
apiserver_resource_size_estimate_bytes{group="apps",resource="deployments"} -1
`)
	pods := schema.GroupResource{Resource: "pods"}
	assert.Equal(t, map[schema.GroupResource]int64{pods: 1000}, m.Objects)
	assert.Equal(t, map[schema.GroupResource]int64{pods: 15_000_000}, m.Bytes)
}

func TestMetricsOfEarlierReleases(t *testing.T) {
	m := scrape(t, `apiserver_flowcontrol_request_concurrency_limit{priority_level="system"} 74
apiserver_flowcontrol_request_concurrency_in_use{flow_schema="system-nodes",priority_level="system"} 3
`)
	assert.Equal(t, replica.LevelMetrics{Nominal: new(74), SeatsInUse: new(3)}, m.Levels["system"])
}

func TestMetricsThatAreDamaged(t *testing.T) {
	for _, c := range []struct {
		name, text, missing string
	}{
		{"cut off in a line", metrics133 + `apiserver_flowcontrol_nominal_limit_seats{priority_level="work`, "The last line is cut off."},
		{"cut off in a number", metrics133 + `apiserver_flowcontrol_nominal_limit_seats{priority_level="workload-low"} 2`, "The last line is cut off."},
		{"a malformed line", metrics133 + "apiserver_flowcontrol_nominal_limit_seats{{{\n", "The metrics are omitted from a malformed line on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			state := read(replica.EndpointMetrics, c.text)
			assert.Equal(t, new(245), state.Metrics.Levels["workload-low"].Nominal)
			require.Len(t, state.Missing, 1)
			assert.Contains(t, state.Missing[0].Why, c.missing)
		})
	}
}

func TestNumbersThatAreNoneAreUnknown(t *testing.T) {
	for _, number := range []string{"NaN", "+Inf", "-Inf", "-7", "1e300"} {
		m := scrape(t, strings.ReplaceAll(`apiserver_flowcontrol_nominal_limit_seats{priority_level="system"} N
apiserver_flowcontrol_lower_limit_seats{priority_level="system"} 1
`, "} N\n", "} "+number+"\n"))
		assert.Equal(t, replica.LevelMetrics{Lower: new(1)}, m.Levels["system"], number)
	}
}

// A server writes no line about what never happened. Who saves a part of a scrape leaves out others.
func TestWhatNoLineTellsIsUnknown(t *testing.T) {
	service, tools := replica.SchemaKey{Level: "workload-low", FlowSchema: "service-accounts"}, replica.SchemaKey{Level: "workload-low", FlowSchema: "tools"}
	part := scrape(t, `apiserver_flowcontrol_rejected_requests_total{flow_schema="tools",priority_level="workload-low",reason="queue-full"} 49
apiserver_flowcontrol_current_inqueue_requests{flow_schema="service-accounts",priority_level="workload-low"} 17
`)
	assert.Equal(t, replica.SchemaMetrics{Waiting: new(0), Rejected: map[string]uint64{"queue-full": 49}}, part.Schemas[tools])
	assert.Equal(t, replica.SchemaMetrics{Waiting: new(17), Rejected: map[string]uint64{}}, part.Schemas[service])
	assert.Equal(t, replica.LevelMetrics{}, part.Levels["workload-low"])

	whole := scrape(t, strings.ReplaceAll(metrics133, "rejected_requests_total", "novel_total"))
	assert.Equal(t, map[string]uint64{}, whole.Schemas[service].Rejected, "nothing was rejected")
	assert.Equal(t, new(0), whole.Schemas[tools].Executing)
}

func TestMetricsOfThisProjectsEngineSayThatItSchedulesByFlow(t *testing.T) {
	assert.True(t, read(replica.EndpointMetrics, "apf_heaviest_flow_seat_share{priority_level=\"system\"} 0.5\n").Metrics.ByFlow)
	assert.False(t, read(replica.EndpointMetrics, "apiserver_flowcontrol_nominal_limit_seats{priority_level=\"system\"} 5\n").Metrics.ByFlow)
}

func TestLabelsOfKubernetes120(t *testing.T) {
	m := scrape(t, `apiserver_flowcontrol_request_concurrency_limit{priorityLevel="system"} 74
apiserver_flowcontrol_current_inqueue_requests{flowSchema="system-nodes",priorityLevel="system"} 3
`)
	assert.Equal(t, new(74), m.Levels["system"].Nominal)
	assert.Equal(t, new(3), m.Schemas[replica.SchemaKey{Level: "system", FlowSchema: "system-nodes"}].Waiting)
}

func TestLabelsAreEscaped(t *testing.T) {
	m := scrape(t, `apiserver_flowcontrol_nominal_limit_seats { priority_level = "a\"},\\{=\n" , x="y",} 7 1700000000000`+"\n")
	assert.Equal(t, new(7), m.Levels["a\"},\\{=\n"].Nominal)
}

// The buckets of both types of requests are added up, in text and in the JSON of prom2json.
func TestHistogramsOfExecutionAndWidth(t *testing.T) {
	const labels = `flow_schema="tools",priority_level="workload-low"`
	text := `# TYPE apiserver_flowcontrol_request_execution_seconds histogram
apiserver_flowcontrol_request_execution_seconds_bucket{` + labels + `,type="regular",le="0.005"} 6
apiserver_flowcontrol_request_execution_seconds_bucket{` + labels + `,type="regular",le="+Inf"} 8
apiserver_flowcontrol_request_execution_seconds_sum{` + labels + `,type="regular"} 0.5
apiserver_flowcontrol_request_execution_seconds_count{` + labels + `,type="regular"} 8
apiserver_flowcontrol_request_execution_seconds_bucket{` + labels + `,type="watch",le="0.005"} 1
apiserver_flowcontrol_request_execution_seconds_bucket{` + labels + `,type="watch",le="+Inf"} 1
apiserver_flowcontrol_request_execution_seconds_sum{` + labels + `,type="watch"} 0.25
apiserver_flowcontrol_request_execution_seconds_count{` + labels + `,type="watch"} 1
apiserver_flowcontrol_work_estimated_seats_bucket{` + labels + `,le="1"} 3
apiserver_flowcontrol_work_estimated_seats_bucket{` + labels + `,le="+Inf"} 4
apiserver_flowcontrol_work_estimated_seats_sum{` + labels + `} 13
apiserver_flowcontrol_work_estimated_seats_count{` + labels + `} 4
`
	prom2json := `[
{"name": "apiserver_flowcontrol_request_execution_seconds", "type": "HISTOGRAM", "metrics": [
 {"labels": {"flow_schema": "tools", "priority_level": "workload-low", "type": "regular"}, "buckets": {"0.005": "6", "+Inf": "8"}, "sum": "0.5", "count": "8"},
 {"labels": {"flow_schema": "tools", "priority_level": "workload-low", "type": "watch"}, "buckets": {"0.005": "1", "+Inf": "1"}, "sum": "0.25", "count": "1"}]},
{"name": "apiserver_flowcontrol_work_estimated_seats", "type": "HISTOGRAM", "metrics": [
 {"labels": {"flow_schema": "tools", "priority_level": "workload-low"}, "buckets": {"1": "3", "+Inf": "4"}, "sum": "13", "count": "4"}]}
]
`
	for form, body := range map[string]string{"text": text, "JSON": prom2json} {
		t.Run(form, func(t *testing.T) {
			got := scrape(t, body).Schemas[replica.SchemaKey{Level: "workload-low", FlowSchema: "tools"}]
			assert.Equal(t, replica.Histogram{Sum: 0.75, Count: 9, Buckets: map[float64]uint64{0.005: 7, math.Inf(1): 9}}, got.Execution)
			assert.Equal(t, replica.Histogram{Sum: 13, Count: 4, Buckets: map[float64]uint64{1: 3, math.Inf(1): 4}}, got.Width)
			assert.Equal(t, replica.Histogram{Sum: 3, Count: 1, Buckets: map[float64]uint64{1: 1, math.Inf(1): 1}},
				got.Width.Since(replica.Histogram{Sum: 10, Count: 3, Buckets: map[float64]uint64{1: 2, math.Inf(1): 3}}))
		})
	}
}

// Up to 1.25 a level has one limit. Later releases write the metric beside others, so alone it is the nominal one.
func TestTheOneLimitOfOlderReleases(t *testing.T) {
	const limit = `apiserver_flowcontrol_request_concurrency_limit{priority_level="system"} 74` + "\n"
	const others = `apiserver_flowcontrol_dispatched_requests_total{flow_schema="nodes",priority_level="system"} 5
apiserver_flowcontrol_request_wait_duration_seconds_count{execute="true",flow_schema="nodes",priority_level="system"} 5
`
	part := scrape(t, limit).Levels["system"]
	assert.Equal(t, []*int{new(74), nil}, []*int{part.Nominal, part.Current})
	whole := scrape(t, limit+others).Levels["system"]
	assert.Equal(t, []*int{new(74), new(74), new(74), new(74), nil}, []*int{whole.Nominal, whole.Current, whole.Lower, whole.Upper, whole.SeatsInUse}, "the first releases write no seats")
}

// Two Prometheus may tell of one server: the one that tells most counts. Servers without priority levels do not.
func TestFederatedMetricsAreDividedByInstance(t *testing.T) {
	const less = `apiserver_flowcontrol_nominal_limit_seats{priority_level="a",instance="x",prometheus="2"} 1` + "\n"
	const more = `apiserver_flowcontrol_nominal_limit_seats{priority_level="a",instance="x",prometheus="1"} 1` + "\n" +
		`apiserver_flowcontrol_nominal_limit_seats{priority_level="b",instance="x",prometheus="1"} 1` + "\n" +
		`process_start_time_seconds{instance="x",prometheus="1"} 7` + "\n"
	const other = `process_start_time_seconds{instance="y"} 7` + "\n"
	assert.Equal(t, map[string][]byte{"x": []byte(more)}, replica.ByInstance([]byte("# HELP a b\n"+less+more+other)))
	assert.Nil(t, replica.ByInstance([]byte(other)))
}

// All API servers store the same objects, some more recently than others.
func TestTheReplicaThatTellsMostOfAResourceCounts(t *testing.T) {
	pods, widgets := schema.GroupResource{Resource: "pods"}, schema.GroupResource{Resource: "widgets"}
	of := func(objects, bytes, watches int64) replica.Replica {
		counts := func(n int64) map[schema.GroupResource]int64 { return map[schema.GroupResource]int64{pods: n} }
		return replica.Replica{Metrics: replica.Metrics{Objects: counts(objects), Bytes: counts(bytes), Watches: counts(watches)}}
	}
	all := []replica.Replica{of(5, 50, 7), of(4, 60, 3), {}}
	assert.Equal(t, replica.Fact{Objects: 5, Bytes: 60, Watchers: 7}, replica.FactOf(all, pods))
	assert.Equal(t, replica.Fact{Objects: -1, Watchers: 0, Absent: true}, replica.FactOf(all, widgets))
	assert.Equal(t, replica.Fact{Objects: -1, Watchers: -1}, replica.FactOf(all[2:], pods))
}

func TestReplicasThatLackTheSameHaveOneNote(t *testing.T) {
	lacks := func(name string, whats ...string) replica.Replica {
		r := replica.Replica{Name: name}
		for _, what := range whats {
			r.Missing = append(r.Missing, replica.Missing{What: what, Why: "There is no file for it."})
		}
		return r
	}
	all := []replica.Replica{lacks("a", "levels", "requests"), lacks("b", "levels", "requests"), lacks("c", "requests", "metrics")}
	assert.Equal(t, []string{
		"a, b: levels: There is no file for it.", "a, b, c: requests: There is no file for it.",
	}, replica.MissingNotes(all, func(m replica.Missing) bool { return m.What != "metrics" }))
	assert.Equal(t, []string{"a, b: levels, requests: There is no file for it."}, replica.MissingNotes(all[:2], func(replica.Missing) bool { return true }))
}

// A timing histogram counts the nanoseconds for which it was observed, in each phase.
func TestLevelsTellForHowLongTheyWereObserved(t *testing.T) {
	var r replica.Replica
	r.Add(replica.EndpointMetrics, strings.NewReader(metrics133+`apiserver_flowcontrol_priority_level_seat_utilization_count{phase="executing",priority_level="workload-low"} 3.6e+12
apiserver_flowcontrol_priority_level_seat_utilization_count{phase="waiting",priority_level="workload-low"} 3.5e+12
`))
	assert.Equal(t, time.Hour, r.Metrics.Levels["workload-low"].Observed)
}
