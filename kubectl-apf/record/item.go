package record

import (
	"cmp"
	"net/http"
	"net/url"
	"strconv"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// origin is the kind of log that an item comes from.
type origin uint8

const (
	fromAudit origin = iota
	fromLine
	fromBoth
)

// item is what one log tells about a request, or both.
type item struct {
	// ID and URI are for joining.
	ID     string `json:",omitempty"`
	URI    string `json:",omitempty"`
	Origin origin
	// Around is the time in the filters around flow control, of a request of an exempt
	// level; nil if it is unknown.
	Around *time.Duration `json:",omitempty"`
	// GroupsImplied reports whether the groups are implied by the user's name.
	GroupsImplied bool `json:",omitempty"`
	// Address is the client's, which a trace does not have.
	Address string `json:",omitempty"`
	Request trace.Request
}

func byArrival(a, b *item) int { return a.Request.Arrival.Compare(b.Request.Arrival) }

// byID compares by audit ID and URI, then by the arrival.
func byID(a, b *item) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.URI, b.URI), byArrival(a, b))
}

// maxID is the number of bytes of an audit ID that httplog logs.
const maxID = 64

// exempt is the name of the exempt level, whose requests never wait.
const exempt = "exempt"

// ofEvent returns what an audit event tells. clockJumped reports whether the request ended
// before it began.
func ofEvent(e *logs.Event, replica string) (out item, clockJumped bool) {
	out = item{ID: e.ID[:min(len(e.ID), maxID)], URI: e.URI, Origin: fromAudit, Address: e.Address, GroupsImplied: e.GroupsImplied}
	r := &out.Request
	setAttributes(r, &e.Attributes, e.URI)
	r.Arrival, r.Replica, r.Client = e.Received.UTC(), replica, e.UserAgent
	r.Status = status(e.Code)
	watch := r.Verb == "watch"
	took := e.Completed.Sub(e.Received)
	if took >= 0 && !e.Unfinished {
		r.Latency = seconds(took)
	}
	if e.Rejected() {
		r.Rejected = cmp.Or(e.RejectionReason, trace.UnknownReason)
	}
	if e.WaitKnown && !e.Unfinished && (!watch || e.FlowControl != nil) {
		r.Wait = seconds(e.Wait)
		if !watch && r.Rejected == "" && took >= e.Wait {
			r.Execution = seconds(took - e.Wait)
		}
	}
	if f := e.FlowControl; f != nil {
		r.FlowSchema, r.PriorityLevel = f.FlowSchema, f.PriorityLevel
		if f.Seats > 0 {
			r.Seats = &trace.Seats{Initial: uint64(f.Seats)}
		}
		if f.Rejected() {
			r.Rejected = f.Outcome
		}
	}
	return out, took < 0
}

// ofLine returns what a line tells.
func ofLine(l *logs.RequestLine, replica string) item {
	out := item{ID: l.AuditID, URI: l.URI, Origin: fromLine, Address: l.SourceIP}
	r := &out.Request
	setAttributes(r, &l.Attributes, l.URI)
	r.Arrival, r.Replica, r.Client = l.Arrival(), replica, l.UserAgent
	r.Status, r.Latency = status(l.Status), seconds(l.Latency)
	r.FlowSchema, r.PriorityLevel = l.FlowSchema, l.PriorityLevel
	if l.Seats != nil {
		r.Seats = &trace.Seats{Initial: l.Seats.Initial, Final: l.Seats.Final, AdditionalLatency: *seconds(l.Seats.AdditionalLatency)}
	}
	if l.Execution != nil {
		r.Execution = seconds(*l.Execution)
	}
	watch, executed := r.Verb == "watch", l.Execution != nil
	switch {
	case l.Rejected():
		r.Rejected, r.Wait = trace.UnknownReason, r.Latency
	case l.PriorityLevel == exempt:
		r.Wait = seconds(0)
		if executed && !watch {
			around := max(0, l.Latency-*l.Execution)
			out.Around = &around
		}
	case l.Waited != nil:
		r.Wait = seconds(*l.Waited)
	case executed && !watch:
		r.Wait = seconds(max(0, l.Latency-*l.Execution))
	}
	return out
}

// join returns what an audit event and a line tell about the same request.
func join(event, line *item) item {
	out, of := *event, &line.Request
	out.Origin, out.Around = fromBoth, line.Around
	r := &out.Request
	if of.Seats != nil {
		r.Seats = of.Seats
	}
	if of.Execution != nil {
		r.Execution = of.Execution
	}
	if r.Wait == nil {
		r.Wait = of.Wait
	}
	if r.FlowSchema == "" {
		r.FlowSchema, r.PriorityLevel = of.FlowSchema, of.PriorityLevel
	}
	if r.Rejected == "" {
		r.Rejected = of.Rejected
	}
	if r.Replica == "" {
		r.Replica = of.Replica
	}
	return out
}

// setAttributes sets what flow control classifies, and the options of a list.
func setAttributes(r *trace.Request, a *flow.Attributes, uri string) {
	r.User, r.Groups, r.Verb = a.User, a.Groups, a.Verb
	if !a.IsResourceRequest {
		r.Path = a.Path
		return
	}
	r.APIGroup, r.APIVersion, r.Resource, r.Subresource = a.APIGroup, a.APIVersion, a.Resource, a.Subresource
	r.Namespace, r.Name = a.Namespace, a.Name
	if r.Verb == "list" || r.Verb == "watch" || r.Verb == "deletecollection" {
		r.List = listOptions(uri)
	}
}

// listOptions returns the options in a URI; nil if there are none.
func listOptions(uri string) *trace.ListOptions {
	at, err := url.ParseRequestURI(uri)
	if err != nil {
		return nil
	}
	query := at.Query()
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

// status returns a status that a trace may have.
func status(code int) int {
	if code < http.StatusContinue || code > 599 {
		return 0
	}
	return code
}

func seconds(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
