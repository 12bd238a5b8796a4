// Package conformance compares this server with kube-apiserver, sentence by
// sentence of the API's contract, and writes the result to docs/conformance.md.
//
// One test starts both servers, each on an etcd of its own, and leads them
// through the cases of all themes. A case begins with both etcds holding the
// built-in objects alone, byte for byte the same and at the same revision; so
// equal requests give equal resource versions and equal continue tokens, and the
// answers need no translation. The two answers to a step must agree in status,
// in all headers and in the body to the byte, once uids (numbered in the order
// in which they appear), times of today and ages are masked. After each step both
// etcds must have moved by the same number of revisions, and after the case they
// must hold the same. The few answers that are meant to differ stand in
// differences_test.go, each with its reason. Flow control is off on both servers
// for this: its engine writes conditions at times of its own.
//
// The same cases are led with two of this server: one in v1 on an etcd process and
// one in v1beta3 on its embedded etcd; and, in the long lane, one asked directly and
// one through kube-apiserver.
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
// remove or ask, with a path below the group's v1 or a whole one; gives says
// which status the contract wants where it is not the usual one. There is no
// need to say more than what the contract says: the rest is compared. Names that
// are always known in paths and bodies are <before>, the version at the start of
// the case, and <future>, one that will not come. A watch is opened by open, its
// events are read by read. Objects come from flowSchema and level, and are
// changed by having and labelled. A step that names v1beta3 has no peer: its case
// says so in alone. A case costs some milliseconds; what must wait for a timeout
// is worth one case, not ten.
//
// A row of the document whose proof lies elsewhere names the test in
// sentences_test.go; that it exists is checked.
//
// While writing: go test ./test/e2e/conformance -run 'TestConformance/deletions'.
// At the end: make conformance, which writes docs/conformance.md.
package conformance
