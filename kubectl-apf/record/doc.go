// Package record makes traces of what API servers logged.
//
// # Sources
//
// Audit logs (package audit) have users and groups, and no requests that the audit policy
// drops. Lines of -v=3 (package httplog) have every request, what flow control did with
// it, and no users. Where both are given they are joined by the audit ID: one request, not
// two. A client may choose the audit ID, and kube-apiserver passes it on to extension API
// servers, so that the URI must be the same too.
//
// # What is recorded
//
// Requests that flow control governs. Long-running requests and those whose
// authentication failed are counted and left out. Times of one request come from:
//
//	         audit                           line                                joined
//	arrival  requestReceivedTimestamp        time of the line minus latency      audit
//	latency  until the last stage            latency                             audit
//	wait     the annotation of               fl_priorityandfairness, or latency  audit, otherwise
//	         flowcontrol-apiserver, or of    minus apf_execution_time; 0 if the  line
//	         kube-apiserver if the request   level is exempt; the latency of a
//	         took more than 500 ms           rejected request
//	execution latency minus wait if that is  apf_execution_time                  line, otherwise
//	          known                                                              audit
//
// The wait of a line without fl_priorityandfairness includes the time in the filters around
// flow control, such as authentication. Requests of exempt levels show how long that is,
// see LeftOut.Notes of the trace.
//
// # Users of lines
//
// The user of a line that no audit event is joined to follows from Users, otherwise from
// the user agent of a component of Kubernetes. Otherwise it is empty: then only FlowSchema
// says who sent the request.
//
// # Memory
//
// Requests are sorted in temporary files, with a bounded part in memory.
//
// # Pseudonyms
//
// Pseudonyms replaces names in traces and configurations.
//
// A pseudonym is a prefix, which says what the name is of, and 12 characters of the
// HMAC-SHA256 of the name. The same key results in the same pseudonyms, so that traces
// and configurations fit each other. Without the key nobody can compute a name from its
// pseudonym, or try names out.
//
// Flow schemas must match the same requests afterwards. So these stay:
//
//   - users and groups that begin with system:, except for the names in them of nodes,
//     of bootstrap tokens, and of the namespaces and names of service accounts;
//   - the names of Kubernetes' own namespaces, and of the built-in flow schemas and
//     priority levels, and of the service accounts that these name;
//   - verbs, API groups, resources, subresources and the paths of other requests, which
//     may name products;
//   - times, durations, seats, status, and resource versions.
//
// # What is lost
//
// Label selectors and field selectors become pseudonyms as a whole; metadata.name=NAME
// stays one. Annotations, labels and statuses of objects are left out. Other flow
// distinguishers deal other hands of queues, so which flows share a queue changes.
package record
