// Package explain computes what flow control does with a request: which flow schema matches
// it and why, its priority level, its flow and queues, how many seats it takes, and
// whether it would execute, wait or be rejected on each API server.
//
// # Input
//
// A Request is given by verb and resource, or by verb and URL path. Explain turns it
// into the HTTP request that a client would send, and reads that with the RequestInfo
// rules of k8s.io/apiserver. So a get without a name is a list, a list with the field
// selector metadata.name=NAME reads one object, a Namespace object is in the namespace
// of its own name, and paths below /api and /apis are resource requests.
//
// A Parser reads requests as a command line has them:
//
//	VERB RESOURCE[,RESOURCE...] [NAME...] [-n NAMESPACE | -A] [OPTIONS]
//	VERB RESOURCE/NAME [RESOURCE/NAME...] [-n NAMESPACE] [OPTIONS]
//	VERB RESOURCE/SUBRESOURCE NAME [-n NAMESPACE] [OPTIONS]
//	VERB /PATH[?QUERY] [OPTIONS]
//	VERB https://HOST/PATH[?QUERY] or VERB:https://HOST/PATH[?QUERY], as kubectl and client-go print requests
//
// So RESOURCE/NAME is an object, as for kubectl. A subresource without the name of an object is --subresource.
//
// # Groups
//
// The groups of a user are completed as impersonation does: a service account without
// groups gets system:serviceaccounts and system:serviceaccounts:NAMESPACE;
// system:anonymous gets system:unauthenticated; any other user gets
// system:authenticated, unless it has either of the two.
//
// # What is decided
//
// The flow schema, the bound of the seats and the limits of an idle server come from
// an engine of package engine, the seats from package estimate, the hand of queues from
// package flow. The state of an API server decides what happens there:
//
//   - On an exempt level the request executes.
//   - If no request waits and its seats are free, it executes.
//   - Otherwise, without queues, it is rejected: concurrency-limit.
//   - Otherwise, on a kube-apiserver, its queue is the one of its hand with the least work
//     waiting. If that is full and no seat is free, it is rejected: queue-full.
//   - With the engine pkg/apf, its flow has a queue. If as many of the flow wait as may, it is
//     rejected: queue-full. If as many of the level wait as may, the one that would be served
//     last is rejected, which is another one if the flow has used little.
//   - Otherwise it waits. A request that waits too long is rejected: time-out.
//
// Notes and the fields named inferred list what was not read from a server.
//
// # UIDs in response headers
//
// FindUIDs names the flow schema and the priority level behind the UIDs in the
// response headers of flow control, X-Kubernetes-PF-FlowSchema-UID and
// X-Kubernetes-PF-PriorityLevel-UID.
//
// UIDs are given one by one, or in a saved response: the headers as curl -i, curl -v
// and kubectl -v=8 print them, or any other text with them, in any case. client-go logs the UID of the
// flow schema when it repeats a request: retry-reason: due to server-side throttling, FlowSchema UID.
//
// The objects come from a configuration. An object that was deleted or replaced since
// is found in an audit log: lines of JSON, one event of audit.k8s.io/v1 each. Its UID
// is in the object reference, in the request or response object, or in the details of
// the status that answers a deletion. Events of the level Metadata have it in the
// object reference only, and not for a creation.
package explain
