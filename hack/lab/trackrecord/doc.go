// Package trackrecord reproduces public reports of overload, unfairness and wrong flow
// control, each on two engines: the one of k8s.io/apiserver (the peer), which it harms, and pkg/apf. It
// writes docs/evidence/track-record.md.
//
// # Cases
//
// A case is one report in one file. It configures a server, sends what the clients of the
// report sent, and measures what the reporter complained about. What counts as harm comes
// from the report, and the case says so before it runs. A case that harms this project fails
// its test, and so does a case that does not harm the peer.
//
// # Time
//
// Both engines run in a bubble of testing/synctest: their clocks, the deadlines of requests
// and the clients use the virtual time of the bubble. An hour of overload takes less than a
// second, and no other load on the machine changes a result.
//
// # Place
//
// The package is in hack/lab because it needs both engines and client libraries for
// tests together. test/parity holds the product against
// k8s.io/kubernetes, which these cases do not need.
package trackrecord
