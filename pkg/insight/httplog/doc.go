// Package httplog reads the lines that API servers log for each HTTP request, from the
// verbosity -v=3 on.
//
// Package k8s.io/apiserver/pkg/server/httplog writes them, in kube-apiserver 1.29 to
// 1.37 and flowcontrol-apiserver alike. A line is written when the response is complete.
// It has the form of --logging-format=text or json:
//
//	I1122 10:00:00.250000      12 httplog.go:134] "HTTP" verb="LIST" URI="/api/v1/pods?limit=500" latency="12.3ms" userAgent="kubectl/v1.33.0" audit-ID="5d0f" srcIP="10.0.0.7:4711" apf_pl="global-default" apf_fs="global-default" apf_iseats=4 apf_fseats=0 apf_additionalLatency="0s" apf_execution_time="11.8ms" resp=200
//	{"ts":1795341600250.1,"caller":"httplog/httplog.go:134","msg":"HTTP","v":3,"verb":"LIST",...}
//
// Other lines are ignored. Package logs finds the lines in their transport.
//
// # What a line tells
//
//   - latency is from the arrival to the end of the response.
//   - apf_pl and apf_fs are the priority level and flow schema, up to 64 bytes of each
//     name. A line without them is of a request that flow control did not see, such as
//     one whose authentication failed, or a long-running one.
//   - apf_iseats, apf_fseats and apf_additionalLatency are the estimate.
//   - apf_execution_time is from the dispatch to the end of the execution. A request
//     without it was rejected, or its response ended before its execution. That of a
//     watch ends when its initial events are sent; apf_init_latency is the same.
//   - fl_priorityandfairness is the time in flow control before the execution, if that is
//     more than 100 ms.
//
// A line has no user, except for impersonation: then addedInfo has both users with their
// groups.
//
// # Time
//
// JSON has the time in milliseconds since 1970. Text has neither year nor time zone:
// the caller says which.
package httplog
