// Package stats counts what the metrics of flow control show. A request looks up no
// label and takes no lock; a scrape adds the counts up (BenchmarkUncontended and
// BenchmarkUncontendedParallel of package benchmarks, which scrape meanwhile).
//
//   - A Series holds the counters, gauges and histograms of one flow schema on one
//     priority level, made at first use.
//   - A Histogram is a fixed set of atomic buckets.
//   - A TimeWeighted histogram holds for how many nanoseconds a ratio n/d was in each
//     bucket. n and d change at given times. Between two changes the bucket of n/d
//     grows by the time that passed, and the sum by n/d times that time. Because n is
//     an integer, each upper bound b is converted, when d changes, to the largest n
//     with n/d <= b. Finding a bucket then compares integers, starting from the
//     present bucket; the buckets of small n are in a table.
//
// A gauge that is the difference of two counters, dispatched minus finished, reads
// the subtrahend first, so that it is never negative.
package stats
