// Package api compares this server with kube-apiserver, sentence by
// sentence of the API's contract, and writes the result to docs/evidence/conformance.md.
//
// One test starts both servers, each on a separate etcd, and runs the cases of all
// themes on them. At the start of a case both etcds hold only the built-in
// objects, byte for byte the same and at the same revision. So equal requests give
// equal resource versions and continue tokens, and the answers need no
// translation. The two answers to a step must be equal in status, in all headers
// and in the body to the byte. Only uids (numbered in the order of their
// appearance), current times and ages are masked. After each step the revisions of
// both etcds must have increased by the same number, and after the case both must
// hold the same data. The intended differences are in differences_test.go, each
// with its reason. Flow control is disabled on both servers, because its engine
// writes conditions asynchronously.
//
// The same cases run on two processes of this server: one in v1 on an etcd process
// and one in v1beta3 on its embedded etcd. In the long lane they also run in v1beta3
// beside a kube-apiserver that emulates 1.31, and on one process directly and on one
// through kube-apiserver.
//
// To add a theme, write a file with a function that returns it and name the
// function in themes (conformance_test.go):
//
//	func deletionTheme() theme {
//		return theme{"deletions", []testCase{
//			{
//				name: "a precondition that fails keeps the object", proves: []string{"verbs.preconditions"},
//				steps: []step{
//					post("flowschemas", flowSchema("a")).keep("uid", "metadata.uid"),
//					remove("flowschemas/a", `{"preconditions":{"uid":"other"}}`).gives(409).saying("Precondition failed").writesNothing(),
//					remove("flowschemas/a", `{"preconditions":{"uid":"<uid>"}}`),
//					get("flowschemas/a").gives(404),
//				},
//			},
//		}}
//	}
//
// proves names sentences of sentences_test.go. A step is get, post, put, patch,
// remove or ask, with a path below the group's v1 or an absolute one. gives sets
// the status code that the contract requires, if it is not the default. A step
// states only what the contract states: the rest is compared. Two names are always
// defined in paths and bodies: <before>, the version at the start of the case, and
// <future>, a version that does not exist yet. open starts a watch, and read reads
// its events. flowSchema and level create objects; having and labelled change
// them. A case with a step that names v1beta3 sets beta: its peer is a
// kube-apiserver that emulates 1.31, which serves that version. A case takes some
// milliseconds. Write only one case for what must wait for a timeout.
//
// If the proof of a sentence is outside this package, sentences_test.go names the
// test. A test checks that it exists.
//
// Development: go test ./test/e2e/api -run 'TestConformance/deletions'.
// At the end: make conformance, which writes docs/evidence/conformance.md.
package api
