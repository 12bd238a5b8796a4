package replica

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// flowControl is the prefix of all metrics of flow control.
const flowControl = "apiserver_flowcontrol_"

// execution and width are the histograms that are read with their buckets.
const (
	execution = "request_execution_seconds"
	width     = "work_estimated_seats"
)

// processStart is when the process started, in seconds, which tells API servers apart.
const processStart = "process_start_time_seconds"

// policyChecks and authorizations are histograms of what requests wait for while they hold
// seats.
const (
	policyChecks   = "apiserver_validating_admission_policy_check_duration_seconds"
	authorizations = "apiserver_authorization_webhook_duration_seconds"
)

// readMetrics reads a response of /metrics. A kube-apiserver answers with many megabytes; only some
// lines are parsed.
func readMetrics(body io.Reader) (Metrics, []string) {
	in := bufio.NewReaderSize(body, 1<<16)
	start, _ := in.Peek(1 << 12)
	var faults []string
	if isJSONArray(start) {
		text, err := io.ReadAll(in)
		if err != nil {
			faults = append(faults, fmt.Sprintf("The response ended early: %v.", err))
		}
		var more []string
		text, more = metricLines(bytes.TrimLeft(text, " \t\r\n"))
		faults = append(faults, more...)
		in = bufio.NewReader(bytes.NewReader(text))
	}
	lines, more := wantedLines(in)
	faults = append(faults, more...)
	parser := expfmt.NewTextParser(model.UTF8Validation)
	parsed, err := parser.TextToMetricFamilies(lines)
	if err != nil {
		faults = append(faults, fmt.Sprintf("The metrics are omitted from a malformed line on: %v.", err))
	}
	f := families(parsed)
	m := Metrics{
		Levels:  map[string]LevelMetrics{},
		Schemas: map[SchemaKey]SchemaMetrics{},
		Objects: f.resources("apiserver_resource_objects"),
		Bytes:   f.resources("apiserver_resource_size_estimate_bytes"),
		Watches: f.watches(),
	}
	if len(m.Objects) == 0 {
		m.Objects = f.storedResources()
	}
	m.Policies = f.durations(policyChecks, "policy")
	m.Authorizer = f.durations(authorizations, "")[""]
	f.each(func(_ map[string]string, value float64) { m.ProcessStart = finite(value) }, processStart)
	f.addLevels(m.Levels)
	f.addSchemas(m.Schemas)
	f.addHistograms(m.Schemas)
	addSeatsInUse(m)
	return m, faults
}

// wantedLines returns the lines that readMetrics uses. They do not include types, so
// that the sum and count of a histogram are metrics of their own.
func wantedLines(in *bufio.Reader) (*bytes.Buffer, []string) {
	var out bytes.Buffer
	for {
		line, err := in.ReadBytes('\n')
		switch {
		case err == nil:
			if isWanted(line) {
				out.Write(line)
			}
		case !errors.Is(err, io.EOF):
			return &out, []string{fmt.Sprintf("The response ended early: %v.", err)}
		case len(line) > 0:
			return &out, []string{"The last line is cut off."}
		default:
			return &out, nil
		}
	}
}

func isJSONArray(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r\n"), []byte("["))
}

func isWanted(line []byte) bool {
	if bytes.HasPrefix(line, []byte(flowControl)) {
		name, _, _ := bytes.Cut(line[len(flowControl):], []byte("{"))
		of, isBucket := bytes.CutSuffix(name, []byte("_bucket"))
		return !isBucket || string(of) == execution || string(of) == width
	}
	for _, name := range []string{
		"apiserver_storage_objects{", "apiserver_resource_objects{",
		"apiserver_resource_size_estimate_bytes{", "apiserver_longrunning_requests{", processStart + " ",
		policyChecks + "_sum", policyChecks + "_count", authorizations + "_sum", authorizations + "_count",
	} {
		if bytes.HasPrefix(line, []byte(name)) {
			return true
		}
	}
	return false
}

// families are the metrics of a scrape by name, all untyped.
type families map[string]*dto.MetricFamily

// each calls visit with the labels and the value of each series of the first of the
// names that the scrape has.
func (f families) each(visit func(labels map[string]string, value float64), names ...string) {
	for _, name := range names {
		family, exists := f[name]
		if !exists {
			continue
		}
		for _, metric := range family.GetMetric() {
			labels := make(map[string]string, len(metric.GetLabel()))
			for _, label := range metric.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			visit(labels, metric.GetUntyped().GetValue())
		}
		return
	}
}

// resources reads a metric with the labels group and resource. The server reports -1 if
// it does not know a number.
func (f families) resources(name string) map[schema.GroupResource]int64 {
	out := map[schema.GroupResource]int64{}
	f.each(func(labels map[string]string, value float64) {
		if value >= 0 {
			out[schema.GroupResource{Group: labels["group"], Resource: labels["resource"]}] = whole(value)
		}
	}, name)
	return out
}

// storedResources reads the metric of Kubernetes 1.33 and before, with labels such as
// resource="deployments.apps".
func (f families) storedResources() map[schema.GroupResource]int64 {
	out := map[schema.GroupResource]int64{}
	f.each(func(labels map[string]string, value float64) {
		if value >= 0 {
			out[schema.ParseGroupResource(labels["resource"])] = whole(value)
		}
	}, "apiserver_storage_objects")
	return out
}

func (f families) watches() map[schema.GroupResource]int64 {
	out := map[schema.GroupResource]int64{}
	f.each(func(labels map[string]string, value float64) {
		if strings.EqualFold(labels["verb"], "WATCH") {
			out[schema.GroupResource{Group: labels["group"], Resource: labels["resource"]}] += whole(value)
		}
	}, "apiserver_longrunning_requests")
	return out
}

// durations reads a histogram, whose series it adds up by a label; all of them if that is
// empty.
func (f families) durations(name, label string) map[string]Durations {
	out := map[string]Durations{}
	f.each(func(labels map[string]string, value float64) {
		d := out[labels[label]]
		d.Seconds += finite(value)
		out[labels[label]] = d
	}, name+"_sum")
	f.each(func(labels map[string]string, value float64) {
		d := out[labels[label]]
		d.Count += uint64(whole(value))
		out[labels[label]] = d
	}, name+"_count")
	return out
}

// addLevels reads the metrics with the label priority_level.
func (f families) addLevels(levels map[string]LevelMetrics) {
	read := func(set func(*LevelMetrics, float64), names ...string) {
		for i := range names {
			names[i] = flowControl + names[i]
		}
		f.each(func(labels map[string]string, value float64) {
			level := levels[labels["priority_level"]]
			set(&level, value)
			levels[labels["priority_level"]] = level
		}, names...)
	}
	read(func(l *LevelMetrics, v float64) { l.Nominal = int(whole(v)) }, "nominal_limit_seats", "request_concurrency_limit")
	read(func(l *LevelMetrics, v float64) { l.Lower = int(whole(v)) }, "lower_limit_seats")
	read(func(l *LevelMetrics, v float64) { l.Upper = int(whole(v)) }, "upper_limit_seats")
	read(func(l *LevelMetrics, v float64) { l.Current = int(whole(v)) }, "current_limit_seats")
	read(func(l *LevelMetrics, v float64) { l.DemandHighWatermark = finite(v) }, "demand_seats_high_watermark")
	read(func(l *LevelMetrics, v float64) { l.DemandSmoothed = finite(v) }, "demand_seats_smoothed")
}

// addSchemas reads the metrics with the labels priority_level and flow_schema.
func (f families) addSchemas(schemas map[SchemaKey]SchemaMetrics) {
	read := func(add func(*SchemaMetrics, map[string]string, float64), names ...string) {
		for i := range names {
			names[i] = flowControl + names[i]
		}
		f.each(func(labels map[string]string, value float64) {
			key := SchemaKey{Level: labels["priority_level"], FlowSchema: labels["flow_schema"]}
			metrics := schemas[key]
			add(&metrics, labels, value)
			schemas[key] = metrics
		}, names...)
	}
	read(func(s *SchemaMetrics, _ map[string]string, v float64) { s.Waiting += int(whole(v)) }, "current_inqueue_requests")
	read(func(s *SchemaMetrics, _ map[string]string, v float64) { s.Executing += int(whole(v)) }, "current_executing_requests")
	read(func(s *SchemaMetrics, _ map[string]string, v float64) { s.SeatsInUse += int(whole(v)) },
		"current_executing_seats", "request_concurrency_in_use")
	read(func(s *SchemaMetrics, _ map[string]string, v float64) { s.Dispatched += uint64(whole(v)) }, "dispatched_requests_total")
	read(func(s *SchemaMetrics, _ map[string]string, v float64) { s.WaitSeconds += finite(v) }, "request_wait_duration_seconds_sum")
	read(func(s *SchemaMetrics, _ map[string]string, v float64) { s.Waits += uint64(whole(v)) }, "request_wait_duration_seconds_count")
	read(func(s *SchemaMetrics, labels map[string]string, v float64) {
		if s.Rejected == nil {
			s.Rejected = map[string]uint64{}
		}
		s.Rejected[labels["reason"]] += uint64(whole(v))
	}, "rejected_requests_total")
}

// addHistograms reads the histograms of the flow schemas. Other labels are added up.
func (f families) addHistograms(schemas map[SchemaKey]SchemaMetrics) {
	for name, of := range map[string]func(*SchemaMetrics) *Histogram{
		execution: func(s *SchemaMetrics) *Histogram { return &s.Execution },
		width:     func(s *SchemaMetrics) *Histogram { return &s.Width },
	} {
		read := func(suffix string, add func(h *Histogram, labels map[string]string, value float64)) {
			f.each(func(labels map[string]string, value float64) {
				key := SchemaKey{Level: labels["priority_level"], FlowSchema: labels["flow_schema"]}
				metrics := schemas[key]
				add(of(&metrics), labels, value)
				schemas[key] = metrics
			}, flowControl+name+suffix)
		}
		read("_sum", func(h *Histogram, _ map[string]string, v float64) { h.Sum += finite(v) })
		read("_count", func(h *Histogram, _ map[string]string, v float64) { h.Count += uint64(whole(v)) })
		read("_bucket", func(h *Histogram, labels map[string]string, v float64) {
			bound, err := strconv.ParseFloat(labels["le"], 64)
			if err != nil || math.IsNaN(bound) {
				return
			}
			if h.Buckets == nil {
				h.Buckets = map[float64]uint64{}
			}
			h.Buckets[bound] += uint64(whole(v))
		})
	}
}

// addSeatsInUse adds the seats of the flow schemas to their levels.
func addSeatsInUse(m Metrics) {
	for key, metrics := range m.Schemas {
		level := m.Levels[key.Level]
		level.SeatsInUse += metrics.SeatsInUse
		m.Levels[key.Level] = level
	}
}

// whole returns a count as an integer; 0 for what is none.
func whole(value float64) int64 {
	if !(value > 0) || value >= math.MaxInt64 {
		return 0
	}
	return int64(math.Round(value))
}

func finite(value float64) float64 {
	if math.IsNaN(value) || math.IsInf(value, 0) {
		return 0
	}
	return value
}
