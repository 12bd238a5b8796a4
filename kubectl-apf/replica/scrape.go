package replica

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// The metrics that are read. flowControl is the prefix of all metrics of flow control.
const (
	flowControl = "apiserver_flowcontrol_"
	nominal     = flowControl + "nominal_limit_seats"
	executing   = flowControl + "current_executing_seats"
	dispatched  = flowControl + "dispatched_requests_total"
	rejected    = flowControl + "rejected_requests_total"
	waits       = flowControl + "request_wait_duration_seconds"
	// execution and width are the histograms that are read with their buckets.
	execution = flowControl + "request_execution_seconds"
	width     = flowControl + "work_estimated_seats"

	objects     = "apiserver_resource_objects"
	objectBytes = "apiserver_resource_size_estimate_bytes"
	longRunning = "apiserver_longrunning_requests"
	// processStart is when the process started, in seconds, which tells API servers apart.
	processStart = "process_start_time_seconds"
	// ownSeries is written by pkg/apf only.
	ownSeries = "apf_heaviest_flow_seat_share"
)

// oldLimit is the limit of a level up to 1.25, which has no other, and the nominal limit from 1.26 on.
const oldLimit = flowControl + "request_concurrency_limit"

// renamed are the names that metrics had in earlier releases.
func renamed() map[string]string {
	return map[string]string{
		oldLimit: nominal,
		flowControl + "request_concurrency_in_use": executing,
		"apiserver_storage_objects":                objects,
	}
}

// maxSeries bounds the series that are read. A large cluster has some ten thousand.
const maxSeries = 50_000

// series is a line of a scrape.
type series struct {
	name   string
	labels map[string]string
	value  float64
}

// readMetrics reads a response of /metrics. A kube-apiserver answers with many megabytes; only some
// lines are parsed.
func readMetrics(body io.Reader) (Metrics, []string) {
	in := bufio.NewReaderSize(body, 1<<16)
	start, _ := in.Peek(1 << 12)
	read := readText
	if strings.HasPrefix(strings.TrimLeft(string(start), " \t\r\n"), "[") {
		read = readJSON
	}
	var all []series
	has := map[string]bool{}
	faults := read(in, func(s series) bool {
		all = append(all, s)
		has[s.name] = true
		return len(all) < maxSeries
	})
	if len(all) == maxSeries {
		faults = append(faults, fmt.Sprintf("Only the first %d series about flow control are read.", maxSeries))
	}
	m := Metrics{
		Levels: map[string]LevelMetrics{}, Schemas: map[SchemaKey]SchemaMetrics{},
		Objects: map[schema.GroupResource]int64{}, Bytes: map[schema.GroupResource]int64{}, Watches: map[schema.GroupResource]int64{},
	}
	later := renamed()
	for _, s := range all {
		if name, old := later[s.name]; old && has[name] {
			continue // it is there twice
		} else if old {
			s.name = name
		}
		if s.value >= 0 && s.value < math.MaxInt64 { // -1 and NaN stand for what a server does not know
			m.add(s)
		}
	}
	hasNominal := has[nominal]
	for name, now := range later {
		has[now] = has[now] || has[name]
	}
	old := has[oldLimit] && !hasNominal
	m.complete(has, old)
	if old && isWhole(has) {
		m.withoutBorrowing()
	}
	return m, faults
}

// add adds a series.
func (m *Metrics) add(s series) {
	// Kubernetes 1.33 and before have labels such as resource="deployments.apps" for objects.
	resource := schema.ParseGroupResource(s.labels["resource"])
	if group := s.labels["group"]; group != "" {
		resource = schema.GroupResource{Group: group, Resource: s.labels["resource"]}
	}
	switch s.name {
	case processStart:
		m.ProcessStart = s.value
	case ownSeries:
		m.ByFlow = true
	case objects:
		m.Objects[resource] = whole(s.value)
	case objectBytes:
		m.Bytes[resource] = whole(s.value)
	case longRunning:
		if strings.EqualFold(s.labels["verb"], "WATCH") {
			m.Watches[resource] += whole(s.value)
		}
	default:
		// The names of the labels of Kubernetes 1.20 are in capitals.
		key := SchemaKey{Level: cmp.Or(s.labels["priority_level"], s.labels["priorityLevel"]), FlowSchema: cmp.Or(s.labels["flow_schema"], s.labels["flowSchema"])}
		switch {
		case key.Level == "":
		case key.FlowSchema == "":
			m.addLevel(key.Level, s)
		default:
			m.addSchema(key, s)
		}
	}
}

func (m *Metrics) addLevel(name string, s series) {
	level := m.Levels[name]
	seats := new(int(whole(s.value)))
	switch strings.TrimPrefix(s.name, flowControl) {
	case "nominal_limit_seats":
		level.Nominal = seats
	case "lower_limit_seats":
		level.Lower = seats
	case "upper_limit_seats":
		level.Upper = seats
	case "current_limit_seats":
		level.Current = seats
	case "demand_seats_high_watermark":
		level.DemandHighWatermark = &s.value
	case "demand_seats_smoothed":
		level.DemandSmoothed = &s.value
	case "priority_level_seat_utilization_count": // a timing histogram counts nanoseconds
		level.Observed = max(level.Observed, time.Duration(s.value))
	default:
		return
	}
	m.Levels[name] = level
}

func (m *Metrics) addSchema(key SchemaKey, s series) {
	of := m.Schemas[key]
	number, count := new(int(whole(s.value))), new(uint64(whole(s.value)))
	switch s.name {
	case flowControl + "current_inqueue_requests":
		Add(&of.Waiting, number)
	case flowControl + "current_executing_requests":
		Add(&of.Executing, number)
	case executing:
		Add(&of.SeatsInUse, number)
	case dispatched:
		Add(&of.Dispatched, count)
	case waits + "_sum":
		Add(&of.WaitSeconds, &s.value)
	case waits + "_count":
		Add(&of.Waits, count)
	case rejected:
		if of.Rejected == nil {
			of.Rejected = map[string]uint64{}
		}
		of.Rejected[s.labels["reason"]] += *count
	default:
		of.Execution.add(s, execution)
		of.Width.add(s, width)
	}
	m.Schemas[key] = of
}

// add adds a series of the histogram of a name; others are ignored. Other labels are added up.
func (h *Histogram) add(s series, name string) {
	switch s.name {
	case name + "_sum":
		h.Sum += s.value
	case name + "_count":
		h.Count += uint64(whole(s.value))
	case name + "_bucket":
		bound, err := strconv.ParseFloat(s.labels["le"], 64)
		if err != nil || math.IsNaN(bound) {
			return
		}
		if h.Buckets == nil {
			h.Buckets = map[float64]uint64{}
		}
		h.Buckets[bound] += uint64(whole(s.value))
	}
}

// isWhole reports whether the metrics of a scrape are all there.
func isWhole(has map[string]bool) bool { return has[nominal] && has[dispatched] && has[waits+"_count"] }

// withoutBorrowing adds what follows for releases up to 1.25: a level has its limit, whatever others need.
func (m *Metrics) withoutBorrowing() {
	for name, level := range m.Levels {
		level.Current, level.Lower, level.Upper = level.Nominal, level.Nominal, level.Nominal
		m.Levels[name] = level
	}
}

// complete adds what follows from lines that are not there: a server writes no line about a flow schema
// that never had requests, waits or rejections. So a metric that it writes of others, or any in a whole
// scrape, is zero, and otherwise unknown. The first releases write no seats.
func (m *Metrics) complete(has map[string]bool, old bool) {
	whole := isWhole(has)
	zero := func(figure **int, name string) {
		if *figure == nil && (whole && (name != executing || !old) || has[name]) {
			*figure = new(int)
		}
	}
	for key, of := range m.Schemas {
		zero(&of.Waiting, flowControl+"current_inqueue_requests")
		zero(&of.Executing, flowControl+"current_executing_requests")
		zero(&of.SeatsInUse, executing)
		if of.Rejected == nil && (whole || has[rejected]) {
			of.Rejected = map[string]uint64{}
		}
		m.Schemas[key] = of
		level := m.Levels[key.Level]
		Add(&level.SeatsInUse, of.SeatsInUse)
		m.Levels[key.Level] = level
	}
	for name, level := range m.Levels {
		zero(&level.SeatsInUse, executing)
		m.Levels[name] = level
	}
}

func whole(value float64) int64 { return int64(math.Round(value)) }
