// Package stats counts what the metrics of flow control show, at a cost that
// the path of a request can bear: no label is looked up and no lock is taken
// while requests run; whoever scrapes pays for the adding up.
//
// Three kinds of figures:
//
//   - A Series holds the counters, gauges and histograms of one flow schema on
//     one priority level. It is split into shards that are made at first use,
//     each touched mostly by one processor; a snapshot adds them up.
//   - A Histogram is a fixed set of atomic buckets.
//   - A TimeWeighted histogram says for how many nanoseconds a ratio n/d was in
//     each bucket. n and d change at given times; between two changes the
//     bucket of n/d grows by the time that passed, and the sum by n/d times
//     that time. Because n is an integer, each upper bound b becomes once per
//     change of d the largest n with n/d <= b; after that, finding the bucket
//     is a comparison of integers with the neighbours of the present one, and
//     for small n not even that: their buckets are kept.
//
// A gauge that is the difference of two counters (dispatched minus finished)
// is computed from them, reading the subtrahend first, so that it is never
// below zero.
package stats
