// Package storm measures what steady clients of a priority level get while greedy ones storm it,
// with the engine and the filter of k8s.io/apiserver and with pkg/apf. It writes a section of
// docs/evidence/benchmarks.md.
//
// A level has 20 seats, 64 queues of 50 requests and hands of 6. 500 steady flows ask together
// for 65 % of what its seats can do, each for less than its max-min share. A request takes its
// mean time plus or minus up to a half. Steady clients do not try again. After 10 s the greedy
// flows send all their requests in a second, and try each until it succeeds: after Retry-After if
// it was rejected, else after a backoff. Clients leave when their patience ends. What executes
// then keeps its seats to its end, as most handlers do.
//
// Both engines run in a bubble of testing/synctest, so time is virtual and no load on the machine
// changes a result. That needs a test; `make storms` runs all rows, `make test` one.
package storm
