// Package trackrecord reproduces public reports of overload, unfairness and wrong flow
// control, each on two engines: the one of k8s.io/apiserver (the peer) and pkg/apf. It
// writes docs/evidence/track-record.md.
//
// # Cases
//
// A case is one report in one file. It configures a server, sends what the clients of the
// report sent, and measures what the reporter complained about. What counts as harm comes
// from the report, and the case says so before it runs. A case that harms this project fails
// its test, and so does a case whose peer no longer behaves as the case says. A case that harms
// neither has a variant with the harm planted, which proves that the case would see it.
//
// # Time
//
// Both engines run in a bubble of testing/synctest: their clocks, the deadlines of requests
// and the clients use the virtual time of the bubble. An hour of overload takes less than a
// second, and no other load on the machine changes a result. In the long lane some cases are
// repeated on a real kube-apiserver 1.33 and on this project's server.
//
// # Place
//
// The package is in hack/lab because it needs both engines, the program kubectl-apf and
// client libraries for tests together. test/parity holds the product against
// k8s.io/kubernetes, which these cases do not need.
package trackrecord
