package trace

import (
	"errors"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// UnknownReason is the Rejected of a request that flow control rejected for a reason that
// the source does not tell.
const UnknownReason = "unknown"

// Request is a request that flow control governs, a line of a trace after the first.
type Request struct {
	// Arrival is when the server received the request.
	Arrival time.Time `json:"arrival"`
	// Replica is the server that received it; "" if the source names none.
	Replica string `json:"replica,omitempty"`
	// User and Groups are what flow control classified: the impersonated user's, if there is one.
	User   string   `json:"user,omitempty"`
	Groups []string `json:"groups,omitempty"`
	// Verb is the API verb of a request for a resource, or the HTTP method of any other,
	// in lower case.
	Verb string `json:"verb"`
	// Resource and what follows up to Name describe a request for a resource.
	APIGroup    string `json:"apiGroup,omitempty"`
	APIVersion  string `json:"apiVersion,omitempty"`
	Resource    string `json:"resource,omitempty"`
	Subresource string `json:"subresource,omitempty"`
	// Namespace is empty for a request that is not limited to one namespace.
	Namespace string `json:"namespace,omitempty"`
	// Name is the name of the object; empty if the request names none. A list or watch of
	// one object, named by a field selector, has it.
	Name string `json:"name,omitempty"`
	// Path is the URL path of a request for no resource; otherwise it is empty.
	Path string `json:"path,omitempty"`
	// List is the options of a list, watch or deletecollection that decide its seats;
	// nil if there is none.
	List *ListOptions `json:"list,omitempty"`
	// Status is the HTTP status of the response; 0 if it is unknown.
	Status int `json:"status,omitempty"`
	// Latency is the time from the arrival to the end of the response. For a watch it is its whole
	// life.
	Latency *metav1.Duration `json:"latency,omitempty"`
	// Execution is how long the request held its initial seats: it executed, without waiting. A
	// watch's ends when its initial events are sent.
	Execution *metav1.Duration `json:"execution,omitempty"`
	// Wait is how long the request waited in a queue.
	Wait *metav1.Duration `json:"wait,omitempty"`
	// Seats is the work that flow control estimated.
	Seats *Seats `json:"seats,omitempty"`
	// FlowSchema and PriorityLevel are what the source names.
	FlowSchema    string `json:"flowSchema,omitempty"`
	PriorityLevel string `json:"priorityLevel,omitempty"`
	// Rejected is why flow control rejected the request: queue-full, concurrency-limit,
	// time-out, cancelled, or UnknownReason; "" if it did not.
	Rejected string `json:"rejected,omitempty"`
	// Client groups the requests that one program sends: such as its user agent. In a
	// closed loop, the clients are the pairs of User and Client.
	Client string `json:"client,omitempty"`
}

// ListOptions are the query parameters that decide the seats of a list or watch.
type ListOptions struct {
	Limit int64 `json:"limit,omitempty"`
	// Continue reports whether there is a continue token.
	Continue             bool   `json:"continue,omitempty"`
	LabelSelector        string `json:"labelSelector,omitempty"`
	FieldSelector        string `json:"fieldSelector,omitempty"`
	ResourceVersion      string `json:"resourceVersion,omitempty"`
	ResourceVersionMatch string `json:"resourceVersionMatch,omitempty"`
	SendInitialEvents    *bool  `json:"sendInitialEvents,omitempty"`
}

// Seats is the work of a request: Initial seats while it executes, and afterwards Final
// seats for AdditionalLatency.
type Seats struct {
	Initial           uint64          `json:"initial"`
	Final             uint64          `json:"final,omitempty"`
	AdditionalLatency metav1.Duration `json:"additionalLatency,omitzero"`
}

// Attributes returns what flow control classifies. It shares the groups.
func (r *Request) Attributes() flow.Attributes {
	return flow.Attributes{
		User: r.User, Groups: r.Groups, Verb: r.Verb, IsResourceRequest: r.Resource != "",
		APIGroup: r.APIGroup, APIVersion: r.APIVersion, Resource: r.Resource, Subresource: r.Subresource,
		Namespace: r.Namespace, Name: r.Name, Path: r.Path,
	}
}

// Read returns what decides the seats of a list or watch.
func (r *Request) Read() estimate.Read {
	read := estimate.Read{Watch: r.Verb == "watch", Named: r.Name != ""}
	if o := r.List; o != nil {
		read.Limit, read.ResourceVersion, read.ResourceVersionMatch = o.Limit, o.ResourceVersion, o.ResourceVersionMatch
		read.SendInitialEvents = o.SendInitialEvents
		read.Selects = o.LabelSelector != "" || o.FieldSelector != ""
		if o.Continue {
			read.Continue = "continue"
		}
	}
	return read
}

// maxSeats bounds the seats of a request.
const maxSeats = 1 << 20

// validate returns what is wrong with a request on its own.
func (r *Request) validate() error {
	switch {
	case r.Arrival.IsZero():
		return errors.New("has no arrival")
	case r.Verb == "":
		return errors.New("has no verb")
	case (r.Resource == "") == (r.Path == ""):
		return fmt.Errorf("has the resource %q and the path %q, must have one of them", r.Resource, r.Path)
	case r.Resource == "" && (r.Subresource != "" || r.Namespace != "" || r.Name != "" || r.APIGroup != ""):
		return errors.New("has a subresource, namespace, name or apiGroup, and no resource")
	case r.Status != 0 && (r.Status < 100 || r.Status > 599):
		return fmt.Errorf("has the status %d, must be from 100 to 599", r.Status)
	case r.Seats != nil && max(r.Seats.Initial, r.Seats.Final) > maxSeats:
		return fmt.Errorf("has %d seats, must be at most %d", max(r.Seats.Initial, r.Seats.Final), maxSeats)
	}
	var additional *metav1.Duration
	if r.Seats != nil {
		additional = &r.Seats.AdditionalLatency
	}
	for _, d := range []struct {
		field string
		value *metav1.Duration
	}{{"latency", r.Latency}, {"execution", r.Execution}, {"wait", r.Wait}, {"additional latency", additional}} {
		if d.value != nil && (d.value.Duration < 0 || d.value.Duration > MaxSpan) {
			return fmt.Errorf("has the %s %s, must be from 0 to %s", d.field, d.value.Duration, MaxSpan)
		}
	}
	return nil
}

// Waited returns how long the request waited, and whether that is known: the log tells it, or the whole
// request took less than what counts.
func (r *Request) Waited(counts time.Duration) (time.Duration, bool) {
	if r.Wait != nil {
		return r.Wait.Duration, true
	}
	return 0, r.Verb != "watch" && r.Latency != nil && r.Latency.Duration < counts
}
