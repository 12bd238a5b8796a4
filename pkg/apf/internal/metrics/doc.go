// Package metrics exports the state of the engine as Prometheus metrics.
//
// Names, types, help, labels and buckets equal the flow control metrics of k8s.io/apiserver, for
// the same dashboards and alerts. A Collector counts nothing: at each scrape it gets a report from
// the engine and converts it. So requests do not touch metrics, and the series of a deleted level
// or schema disappear. A FlowCollector, a TotalCollector and a ConfigurationCollector export what
// k8s.io/apiserver does not have.
//
// # Time-weighted histograms
//
// Four families are histograms of a ratio over time, as if it were observed at the end
// of every nanosecond. Their counts are nanoseconds, and their sum is the integral of
// the ratio over nanoseconds. So
//
//	rate(x_sum) / rate(x_count)
//
// is the mean ratio, and histogram_quantile over rate(x_bucket) its quantiles.
//
// # Two registries
//
// k8s.io/apiserver registers metrics of the same names, which are empty or stale if its
// engine is not in use. Prometheus rejects a scrape with two families of one name. So Union gathers
// both registries and omits the Collector's families from k8s.io/apiserver's.
package metrics
