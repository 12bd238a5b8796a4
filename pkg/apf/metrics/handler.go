package metrics

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/component-base/metrics"
)

// Handler serves the families of both gatherers, leaving out of the library's
// those that are named replaced.
func Handler(library, own prometheus.Gatherer, replaced []string, options metrics.HandlerOpts) http.Handler {
	return metrics.HandlerFor(Union(library, own, replaced), options)
}

// Union gathers what Handler serves.
func Union(library, own prometheus.Gatherer, replaced []string) prometheus.Gatherer {
	return prometheus.Gatherers{without(library, replaced), own}
}

func without(gatherer prometheus.Gatherer, names []string) prometheus.Gatherer {
	left := make(map[string]bool, len(names))
	for _, name := range names {
		left[name] = true
	}
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		// A gatherer may return what it could gather along with an error.
		gathered, err := gatherer.Gather()
		return slices.DeleteFunc(gathered, func(f *dto.MetricFamily) bool { return left[f.GetName()] }), err
	})
}
