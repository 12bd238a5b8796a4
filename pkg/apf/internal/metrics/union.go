package metrics

import (
	"slices"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// Union returns a gatherer of the families of both gatherers, without the library's families named
// in replaced.
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
