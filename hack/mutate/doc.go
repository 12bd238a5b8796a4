// Command mutate puts small faults into the product, one at a time, and reports
// which test finds each. Coverage shows what the tests run; this shows what
// they notice.
//
//	go run ./hack/mutate -seed 7 -count 20 -state .cache/mutate.json >.cache/mutate.md
//
// The seed picks the places: first a random package, then a kind of fault, then
// a place for it. No package is picked twice before every package has been
// picked once. Each fault is put into a scratch copy of the tree, never into the
// tree itself. The tests run in this order until one fails: the tests of the
// package; for the API types, parity with k8s.io/kubernetes; of the packages that
// import it; and the end-to-end tests, quick packages first. These use the
// programs in bin/ and a server that contains the fault. A unit test that fails
// must pass without the fault. An end-to-end test that fails is repeated once, as
// in `make test`, and counts if it fails again.
//
// Faults that no test needs to find are excluded; see isIdle. Some of the
// others change no observable behavior. The report shows every fault that is
// not found with its surrounding lines, for review.
//
// No existing library fits: libraries that mutate Go run the tests of one package, not programs
// that are built from several.
package main
