package logs

import (
	"net/http"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Event is what an audit log tells about one request.
type Event struct {
	// ID is the audit ID.
	ID string
	// Attributes are what flow control classified.
	Attributes flow.Attributes
	// URI is the request URI with its query.
	URI string
	// UserAgent is the header of this name.
	UserAgent string
	// Address is the address of the client, or of the last proxy before the server; "" if the log
	// has none.
	Address string
	// Received is when the request arrived, Completed when its response was complete. If
	// Unfinished, the log does not tell the latter, which is then the same.
	Received, Completed time.Time
	Unfinished          bool
	// GroupsImplied reports whether the log has no groups: the user's name then implies the groups
	// in Attributes.
	GroupsImplied bool
	// Code is the response code.
	Code int
	// Reason is the reason of the Status in the response, such as "TooManyRequests"; ""
	// if the response is not a Status.
	Reason string
	// RejectionReason is the reason of flow control, if the Status in the response tells it, as
	// flowcontrol-apiserver's may.
	RejectionReason string
	// Wait is the time in a queue, if the log tells it; see WaitKnown.
	Wait time.Duration
	// WaitKnown reports whether Wait is exact. Otherwise the request may have waited.
	WaitKnown bool
	// FlowControl is what flow control did; nil without annotations of
	// flowcontrol-apiserver.
	FlowControl *FlowControl
}

// Governed reports whether flow control governs the request: a long-running request
// is not, except for a watch.
func (e *Event) Governed() bool {
	a := &e.Attributes
	if a.Verb == "proxy" {
		return false
	}
	switch a.Subresource {
	case "attach", "exec", "log", "portforward", "proxy":
		return !a.IsResourceRequest
	default:
		return true
	}
}

// Rejected reports whether flow control rejected the request, see the package comment.
func (e *Event) Rejected() bool {
	if e.FlowControl != nil {
		return e.FlowControl.Rejected()
	}
	return e.Code == http.StatusTooManyRequests && (e.Reason == "" || e.RejectionReason != "") && e.Governed()
}

// Executed returns how long the request executed; 0 if it was rejected, or is a watch,
// which holds seats only until its initial events are sent.
func (e *Event) Executed() time.Duration {
	if e.Rejected() || e.Attributes.Verb == "watch" {
		return 0
	}
	return max(0, e.Completed.Sub(e.Received)-e.Wait)
}
