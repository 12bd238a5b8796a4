// Package scrape reads a server's metrics in the Prometheus text format, for
// programs that show or compare them.
package scrape

import (
	"maps"
	"slices"
	"strings"

	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"
)

// Scrape holds the value of every series at one time, by "family{labels}".
type Scrape map[string]float64

// Parse reads the text of /metrics. It returns only the families whose names
// begin with prefix.
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

// Sum returns the sum over the series of a family that have all these labels,
// each written as name="value".
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
