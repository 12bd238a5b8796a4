package logs

import (
	"net/http"
	"net/url"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/longrunning"
)

// Request is what a log tells about one request. What it does not tell is nil or empty.
type Request struct {
	trace.Request
	// ID is the audit ID, up to 64 bytes of it; URI is the request URI with its query.
	ID  string `json:",omitempty"`
	URI string `json:",omitempty"`
	// Address is the address of the client, or of the last proxy before the server.
	Address string `json:",omitempty"`
	// Completed is when the response was complete; zero if the log does not tell.
	Completed time.Time `json:",omitzero"`
	// Zoned reports whether these times are in the time zone of Clock, which may be wrong.
	Zoned bool `json:",omitempty"`
	// Said is the message of a response 429 of a handler, not of flow control.
	Said string `json:",omitempty"`
	// Annotated reports whether flowcontrol-apiserver said what flow control did, exactly. Then
	// Distinguisher is set too.
	Annotated     bool   `json:",omitempty"`
	Distinguisher string `json:",omitempty"`
	// GroupsImplied reports whether the log has no groups: the user's name then implies them.
	GroupsImplied bool `json:",omitempty"`
	// Etcd is the time that etcd took; nil if it is unknown.
	Etcd *time.Duration `json:",omitempty"`
	// Removed is the first release of Kubernetes that does not serve the API version; "" if none is known.
	Removed string `json:",omitempty"`
	// Around is the time in the filters around flow control, of a request of an exempt level; nil if
	// it is unknown.
	Around *time.Duration `json:",omitempty"`
}

// maxID is the number of bytes of an audit ID that httplog logs.
const maxID = 64

// Governed reports whether flow control governs the request.
func (r *Request) Governed() bool {
	attributes := r.Attributes()
	return r.Annotated || !longrunning.Is(&attributes)
}

// End returns when the request ended, otherwise when it arrived.
func (r *Request) End() time.Time {
	if r.Completed.IsZero() {
		return r.Arrival
	}
	return r.Completed
}

// OtherRejection reports whether a handler rejected the request, not flow control.
func (r *Request) OtherRejection() bool {
	return r.Status == http.StatusTooManyRequests && r.Rejected == ""
}

// Executed returns how long the request executed, as far as it is known: what is unknown of its wait
// counts as none. It is 0 if the request was rejected, or is a watch, which holds seats only until
// its initial events are sent.
func (r *Request) Executed() time.Duration {
	switch {
	case r.Rejected != "" || r.Verb == "watch" || r.Latency == nil:
		return 0
	case r.Execution != nil:
		return r.Execution.Duration
	case r.Wait != nil:
		return max(0, r.Latency.Duration-r.Wait.Duration)
	default:
		return r.Latency.Duration
	}
}

// setAttributes sets what flow control classifies, and the options of a list.
func (r *Request) setAttributes(a *flow.Attributes, query url.Values) {
	r.Verb = a.Verb
	if !a.IsResourceRequest {
		r.Path = a.Path
		return
	}
	r.APIGroup, r.APIVersion, r.Resource, r.Subresource = a.APIGroup, a.APIVersion, a.Resource, a.Subresource
	r.Namespace, r.Name = a.Namespace, a.Name
	if r.Verb == "list" || r.Verb == "watch" || r.Verb == "deletecollection" {
		r.List = listOptions(query)
	}
}

// listOptions returns the options in a query; nil if there are none.
func listOptions(query url.Values) *trace.ListOptions {
	o := trace.ListOptions{
		Continue:      query.Get("continue") != "",
		LabelSelector: query.Get("labelSelector"), FieldSelector: query.Get("fieldSelector"),
		ResourceVersion: query.Get("resourceVersion"), ResourceVersionMatch: query.Get("resourceVersionMatch"),
	}
	if limit, err := strconv.ParseInt(query.Get("limit"), 10, 64); err == nil {
		o.Limit = limit
	}
	if initial, err := strconv.ParseBool(query.Get("sendInitialEvents")); err == nil {
		o.SendInitialEvents = &initial
	}
	if o == (trace.ListOptions{}) {
		return nil
	}
	return &o
}

// setStatus sets a status that a trace may have.
func (r *Request) setStatus(code int) {
	if code >= http.StatusContinue && code <= 599 {
		r.Status = code
	}
}

func seconds(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
