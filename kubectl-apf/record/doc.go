// Package record makes traces of what API servers logged.
//
// # Sources
//
// Audit logs have users and groups, and no requests that the audit policy
// drops. Lines of -v=3 have every request, what flow control did with
// it, and no users. Where both are given they are joined by the audit ID: one request, not
// two. A client may choose the audit ID, and kube-apiserver passes it on to extension API
// servers, so that the URI must be the same too, and times and user agents must fit. Duplicates, with the
// same audit ID, URI, user and times, are one request.
//
// # Servers
//
// Requests are split by the API server that a log names. Where none is named, a file is divided where the time jumps
// back, and parts of the same time are of different servers.
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
// # Memory
//
// Requests are sorted in temporary files, with a bounded part in memory.
package record
