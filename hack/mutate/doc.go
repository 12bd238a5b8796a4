// Command mutate puts small faults into the product, one at a time, and says
// which test finds each: how much the tests notice, where coverage tells only
// what they run.
//
//	go run ./hack/mutate -seed 7 -count 20 -state .cache/mutate.json >.cache/mutate.md
//
// The seed picks the places: a package at random, no package twice before each
// has had one, then a kind of fault, then a place for it. Each fault is put into a
// scratch copy of the tree, never into the tree itself, and the tests run in
// order until one fails: those of the package, parity with k8s.io/kubernetes for
// what is about the API's types, those of the packages that import it, and the
// end-to-end tests, quick packages first, with the programs in bin/ and a server
// that has the fault. A unit test that fails must pass without the fault; an
// end-to-end test that fails is run once more, as `make test` does, and counts
// when it fails again.
//
// Faults that no test need find are left out by construction; see isIdle. Of
// those that remain some change nothing that anybody could notice: whatever is
// not found is shown with its surroundings, for a person to judge.
//
// No library does this here: those that mutate Go know the tests of one package,
// not programs that are built from several.
package main
