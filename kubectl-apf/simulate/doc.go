// Package simulate sends the requests of a trace through the flow control of an API
// server in virtual time, and reports the result of each configuration.
//
// # Time
//
// Events, such as the end of an execution, are in a heap, and one goroutine handles them in order
// of time, and in one instant in the order of scheduling. So a simulation is deterministic: the
// same trace and options give the same report. If a request ends when another arrives,
// the end comes first.
//
// # Engines
//
// Library is the queue sets of k8s.io/apiserver, package pkg/util/flowcontrol/fairqueuing/queueset
// of the version in go.mod. These choose the queue of a request, and decide which requests are
// dispatched or rejected. The library also integrates the demand. It needs no goroutine for each
// request: the note that a request left its queue says that it was dispatched, and Finish is called
// when its execution ends. The periodic division of the seats is not the library's code, because
// its controller has no injectable clock; the same arithmetic is in this package
// (librarydivision.go). pkg/apf/classify classifies: it matches the same requests. Seats are as in
// the release of the configuration.
//
// APF is pkg/apf/engine of flowcontrol-apiserver, all of it.
//
// A trace is a part of the life of a server. So its first 30 s are played twice: the first time
// settles the limits of the levels, and is not counted. All these requests end before the trace
// begins, with empty queues. With AfterRestart it begins with a server that has just started, which
// knows nothing of demand. Both engines divide the seats again every 10 s, and a request waits at most
// 15 s, as in servers with the default --request-timeout.
//
// # Loops
//
// In an open loop, requests arrive when they arrived in the trace, however long others
// take. A client that waits for its answers would send less: an open loop exaggerates overload that
// is worse than the trace's, and also has the retries of requests that were rejected then.
//
// In a closed loop, a client has as many workers as it had requests in progress at one time in the
// trace. A worker sends its next request after the previous one has ended, and after the pause that
// it made in the trace. A request that was rejected in the trace, and its repetition, are one
// request, sent at the first one's time; a request that the simulation rejects is repeated after 1
// s, as Retry-After says, up to 10 times. A client without delays cannot be faster than its trace
// by more than a minute.
//
// # Service times
//
// A request executes for as long as in the trace: Execution, otherwise Latency without
// Wait, otherwise the median of its kind (verb, resource, subresource), of its verb, or of all. The
// medians are over the first 100,000 requests and the requests that came before, at most 10,000 of
// each kind. Requests that were rejected in the trace have the median of their kind.
//
// # Figures
//
// Waits are of the requests that were dispatched, including ones that did not wait. Their
// percentiles are exact to 1 %. Seats are in use during execution and the additional latency. With
// replicas, seats and limits are sums. A level borrows the seats that are in use above its nominal
// limit, and lends what its current limit is below it.
package simulate
