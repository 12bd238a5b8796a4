// Package whose names the flow schema and the priority level behind the UIDs in the
// response headers of flow control, X-Kubernetes-PF-FlowSchema-UID and
// X-Kubernetes-PF-PriorityLevel-UID.
//
// UIDs are given one by one, or in a saved response: the headers as curl -i, curl -v
// and kubectl -v=8 print them, or any other text with them, in any case.
//
// The objects come from a configuration. An object that was deleted or replaced since
// is found in an audit log: lines of JSON, one event of audit.k8s.io/v1 each. Its UID
// is in the object reference, in the request or response object, or in the details of
// the status that answers a deletion. Events of the level Metadata have it in the
// object reference only, and not for a creation.
package whose
