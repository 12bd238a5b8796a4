// Package logs reads requests from the logs of API servers and of their clients, in any
// transport: a container runtime, kubectl, journald, a log pipeline, a cloud.
//
// # Where entries are found
//
// A prefix may be anything: a time (kubectl logs --timestamps), a pod (kubectl logs
// --prefix, stern), a node (oc adm node-logs), journald's short form. The search is for the
// entry, not for the prefix. Only prefixes and envelopes that divide a line are known by
// their form: CRI's P and F, Docker's json-file, Fluent Bit's logtag.
//
// Other JSON is searched for the entry, in its order of keys, and in all elements of its
// arrays: AKS (properties.log), CloudWatch (message), Cloud Logging (jsonPayload,
// textPayload), Loki, Vector, journald. Of one object the first field with an entry counts,
// so that a pipeline that keeps the original beside the parsed line counts once. A CSV
// export is read by its quotation marks. JSON may be indented, and a whole file may be one array.
// An entry has up to 16 MiB; a longer one is reported, and left out. Tables of Azure with a column for each field
// of an event are read as JSON, as a response with columns and rows, and as CSV with a header.
//
// # Servers
//
// Each API server enforces flow control alone, so an entry has the name of its server if the
// transport has it: a pod, a node, a stream, or the path of the file (ServerOf).
//
// # Audit events
//
// A request has an event for each stage. Only the last one counts, ResponseComplete or Panic.
// Flow control classifies the impersonated user if there is one. The other attributes
// come from the request URI: kube-apiserver adds the name and namespace of a created object to
// objectRef, but flow control did not see them.
//
// flowcontrol-apiserver writes what flow control did in annotations. Others write
//
//   - the annotation apiserver.latency.k8s.io/apf-queue-wait, the time in a queue, if
//     the whole request took more than 500 ms and is not a watch. Such a request without
//     this annotation, and with apiserver.latency.k8s.io/total, did not wait;
//   - the response code 429 of a rejected request. Handlers return 429 too, with a Status, so
//     that their events have a reason. The response of flow control is plain text, or a Status
//     of flowcontrol-apiserver, which has a cause of the type RejectionReason.
//
// Google Kubernetes Engine writes no audit events, but entries of Cloud Logging with a
// protoPayload. Each becomes an event without the user's groups and the end of the request.
//
// # Request lines
//
// Package k8s.io/apiserver/pkg/server/httplog writes a line when a response is complete, from
// -v=3 on:
//
//	I1122 10:00:00.250000      12 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/pods?limit=500" latency="12.3ms" userAgent="kubectl/v1.33.0" audit-ID="5d0f" srcIP="10.0.0.7:4711" apf_pl="global-default" apf_fs="global-default" apf_iseats=4 apf_fseats=0 apf_additionalLatency="0s" apf_execution_time="11.8ms" resp=200
//	{"ts":1795341600250.1,"caller":"httplog/httplog.go:134","msg":"HTTP","v":3,"verb":"LIST",...}
//
// A line without apf_pl is of a request that flow control did not see, such as one whose
// authentication failed. One without apf_execution_time was rejected, or its response ended before
// its execution. fl_priorityandfairness is the time in flow control before the execution, if that is
// more than 100 ms. A line has no user, except for impersonation (addedInfo). Text has neither year
// nor time zone: the caller says which.
//
// # Waits of clients
//
// Package k8s.io/client-go/rest writes a line when a request had to wait for the client's
// own limit (QPS and Burst), or for the time that a server asked for (Retry-After):
//
//	Throttling request took 1.02s, request: GET:https://10.0.0.1/api/v1/pods                                             up to 0.20
//	Waited for 1.02s due to client-side throttling, not priority and fairness, request: GET:https://10.0.0.1/api/v1/pods  0.21 to 0.32
//	"Waited before sending request" delay="1.02s" reason="client-side throttling, not priority and fairness" verb="GET" URL="https://10.0.0.1/api/v1/pods"
//
// Package k8s.io/client-go/tools/leaderelection writes why a lease was not renewed: see LeaseLine.
//
// client-go writes a wait of more than 50 ms from -v=3 on, and one of more than a second at any verbosity,
// but then at most one line a second, or in ten at -v=0. So a log has some of the waits.
package logs
