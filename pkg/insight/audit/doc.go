// Package audit reads the audit logs of API servers, for what they tell about flow
// control.
//
// A log is audit.k8s.io/v1 Events in JSON, which package logs finds in their transport. A
// request has an event for each stage. Only the last one counts, ResponseComplete or Panic:
// it has the response code and all annotations.
//
// # Attributes
//
// Flow control classifies the impersonated user if there is one. The other attributes
// come from the request URI, by the parser of k8s.io/apiserver: kube-apiserver adds
// the name and namespace of a created object to objectRef, but flow control did not
// see them.
//
// # What the event tells
//
// flowcontrol-apiserver writes what flow control did in annotations, see FlowControl.
// kube-apiserver 1.33 and others write
//
//   - the annotation apiserver.latency.k8s.io/apf-queue-wait, the time in a queue, if
//     the whole request took more than 500 ms and is not a watch. Such a request without
//     this annotation, and with apiserver.latency.k8s.io/total, did not wait;
//   - the response code 429 of a rejected request. Handlers return 429 too, such as
//     for an eviction that a disruption budget forbids. Their responses are Status
//     objects, so that their events have a reason. The response of flow control is
//     plain text, so that its events have none. flowcontrol-apiserver may respond with
//     a Status, which has a cause of the type RejectionReason.
package audit
