// Package api asks of each request: is the answer kube-apiserver's? It writes the result to
// docs/evidence/conformance.md.
//
// One test starts both servers, each on a separate etcd, and runs the cases of all themes on them. At
// the start of a case both etcds hold only the built-in objects, byte for byte the same and at the
// same revision. So equal requests give equal resource versions, and the answers need no translation.
// The two answers to a step must be equal in status, in all headers and in the body to the byte. Only
// uids (numbered in the order of their appearance), current times and ages are masked. After each step
// the revisions of both etcds must have increased by the same number, and after the case both must
// hold the same data. The intended differences are in differences_test.go, each with its reason. Flow
// control is disabled on both servers, because its engine writes conditions asynchronously.
//
// The cases test what the registry, the strategies, validation, defaults, tables and the handler chain
// decide. What k8s.io/apiserver decides alone is not tested here. Generated objects, valid and
// invalid, are written in every encoding and both versions.
//
// Most cases are scripts in testdata, one request a line: see script_test.go. A case that compares a part of
// an answer, or has generated requests, is Go: a theme is a function that conformance_test.go names, and a
// step is get, post, put, patch, remove or ask, as a line of a script. A step states only what the contract
// states: the rest is compared. Two names are always defined in paths and bodies: <before>, the version at the
// start of the case, and <future>, a version that does not exist yet. The peer of a case beside v1beta3 is a
// kube-apiserver that emulates 1.31, which serves that version.
//
// Development: go test ./test/e2e/api -run 'TestConformance/metadata'.
// At the end: make conformance, which writes docs/evidence/conformance.md.
package api
