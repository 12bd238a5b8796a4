package main

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// sampleInterval is the time between two looks at the seats in use.
const sampleInterval = 500 * time.Millisecond

// scrape is the value of every series, by "family{labels}", at one moment. Of a
// histogram it has the sum and the count.
type scrape map[string]float64

// metrics asks the server for its metrics.
func (s *scene) metrics(o *harness.Owner) scrape {
	text := s.kubectl.Run(o, "get", "--raw", "/metrics")
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	o.Check(err)
	values := scrape{}
	for name, family := range families {
		if !strings.HasPrefix(name, "apiserver_flowcontrol_") {
			continue
		}
		for _, series := range family.GetMetric() {
			values.add(name, labels(series), family.GetType(), series)
		}
	}
	return values
}

func (s scrape) add(name, labels string, kind dto.MetricType, series *dto.Metric) {
	switch kind {
	case dto.MetricType_COUNTER:
		s[name+labels] = series.GetCounter().GetValue()
	case dto.MetricType_GAUGE:
		s[name+labels] = series.GetGauge().GetValue()
	case dto.MetricType_HISTOGRAM:
		s[name+"_sum"+labels] = series.GetHistogram().GetSampleSum()
		s[name+"_count"+labels] = float64(series.GetHistogram().GetSampleCount())
	}
}

func labels(series *dto.Metric) string {
	var pairs []string
	for _, label := range series.GetLabel() {
		pairs = append(pairs, label.GetName()+`="`+label.GetValue()+`"`)
	}
	return "{" + strings.Join(pairs, ",") + "}"
}

// since is how much each series grew after an earlier scrape.
func (s scrape) since(earlier scrape) scrape {
	growth := maps.Clone(s)
	for series := range growth {
		growth[series] -= earlier[series]
	}
	return growth
}

// sum adds up the series of a family that have all these labels.
func (s scrape) sum(family string, labels ...string) float64 {
	total := 0.0
	for series, value := range s {
		name, rest, _ := strings.Cut(series, "{")
		if name == family && !slices.ContainsFunc(labels, func(label string) bool { return !strings.Contains(rest, label) }) {
			total += value
		}
	}
	return total
}

// occupancy is the mean of the seats in use, by flow schema.
type occupancy map[string]float64

// sample looks at the seats in use until ctx ends.
func (s *scene) sample(ctx context.Context, o *harness.Owner) occupancy {
	sums, samples := occupancy{}, 0.0
	ticker := time.NewTicker(sampleInterval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			for schema := range sums {
				sums[schema] /= max(samples, 1)
			}
			return sums
		case <-ticker.C:
			now := s.metrics(o)
			samples++
			for _, schema := range []string{"batch-jobs", "global-default"} {
				sums[schema] += now.sum("apiserver_flowcontrol_current_executing_seats", `flow_schema="`+schema+`"`)
			}
		}
	}
}
