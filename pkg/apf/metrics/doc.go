// Package metrics shows the engine to Prometheus.
//
// The Collector has the families that k8s.io/apiserver has for flow control,
// with the same names, types, help, labels and buckets, so that dashboards and
// alerts made for those work unchanged. Nothing is counted here: at each scrape
// the engine is asked for a report, and the report is written down. So the path
// of a request knows nothing of metrics, and the series of a level or schema
// that is gone are gone with it.
//
// # Time-weighted histograms
//
// Four families are histograms of a ratio over time: as if its value were
// observed at the end of every nanosecond. Their counts are nanoseconds and
// their sum is the integral of the ratio over nanoseconds, so that
//
//	rate(x_sum) / rate(x_count)
//
// is the mean ratio, and histogram_quantile over rate(x_bucket) its quantiles.
//
// # One scrape, two registries
//
// The library registers its own vectors of the same names, which stay empty or
// stale when its engine is not in use. To serve both registries side by side
// would give two families of one name, which Prometheus refuses. Handler
// gathers both and leaves out of the library's what the Collector replaces.
package metrics
