// Package controlplane looks after the kube-apiserver in front of this server: is
// it there, does it tell whom to trust, may it be asked what is asked of it, and
// does it have the same time of day.
//
// Each question is a check of readiness. A server starts without an answer, is
// live, and becomes ready by itself once every check that it cannot do without
// was passed. What is lost later is said, in the log and in /readyz?verbose, but
// does not make the server unready: all replicas would be unready at once and for
// the same reason, kube-apiserver would come back to a Service with nobody behind
// it, and permissions that are remembered would help nobody. Requests that cannot
// be judged meanwhile are refused one by one, by the library.
//
// What is wrong has two parts. The first says what is missing and what to do; it
// holds no name or address and is for everyone who may ask /readyz. The second is
// the answer or the error in full; it goes to the log, once when a trouble begins
// or changes, and to /readyz/NAME, which needs a permission.
package controlplane
