// Package scrape reads the metrics of a server as Prometheus does, for programs
// that show or compare them.
package scrape

import (
	"maps"
	"slices"
	"strings"
	"time"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Scrape is the value of every series, by "family{labels}", at one moment.
type Scrape map[string]float64

// Parse reads the text of /metrics. It leaves out all families but those whose
// names begin with prefix.
func Parse(text, prefix string) (Scrape, error) {
	parser := expfmt.NewTextParser(model.UTF8Validation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(text))
	if err != nil {
		return nil, err
	}
	maps.DeleteFunc(families, func(name string, _ *dto.MetricFamily) bool { return !strings.HasPrefix(name, prefix) })
	samples, err := expfmt.ExtractSamples(&expfmt.DecodeOptions{}, slices.Collect(maps.Values(families))...)
	values := Scrape{}
	for _, sample := range samples {
		values[sample.Metric.String()] = float64(sample.Value)
	}
	return values, err
}

// Since is how much each series grew after an earlier scrape.
func (s Scrape) Since(earlier Scrape) Scrape {
	growth := maps.Clone(s)
	for series := range growth {
		growth[series] -= earlier[series]
	}
	return growth
}

// Sum adds up the series of a family that have all these labels, each written
// as name="value".
func (s Scrape) Sum(family string, labels ...string) float64 {
	total := 0.0
	for series, value := range s {
		name, rest, _ := strings.Cut(series, "{")
		if name == family && !slices.ContainsFunc(labels, func(label string) bool { return !strings.Contains(rest, label) }) {
			total += value
		}
	}
	return total
}

// Mean is the mean of a histogram that counts seconds, over the series that have
// all these labels, and 0 if it counted nothing.
func (s Scrape) Mean(family string, labels ...string) time.Duration {
	count := s.Sum(family+"_count", labels...)
	if count == 0 {
		return 0
	}
	return time.Duration(s.Sum(family+"_sum", labels...) / count * float64(time.Second))
}
