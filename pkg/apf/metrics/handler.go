package metrics

import (
	"net/http"
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"k8s.io/component-base/metrics"
)

// Handler serves the families of both gatherers, without those of the library that are
// named in replaced.
func Handler(library, own prometheus.Gatherer, replaced []string, options metrics.HandlerOpts) http.Handler {
	return metrics.HandlerFor(Union(library, own, replaced), options)
}

// Union returns a gatherer of what Handler serves.
func Union(library, own prometheus.Gatherer, replaced []string) prometheus.Gatherer {
	return prometheus.Gatherers{without(library, replaced), own}
}

func without(gatherer prometheus.Gatherer, names []string) prometheus.Gatherer {
	omitted := make(map[string]bool, len(names))
	for _, name := range names {
		omitted[name] = true
	}
	return prometheus.GathererFunc(func() ([]*dto.MetricFamily, error) {
		// A gatherer may return families together with an error.
		gathered, err := gatherer.Gather()
		return slices.DeleteFunc(gathered, func(f *dto.MetricFamily) bool { return omitted[f.GetName()] }), err
	})
}
