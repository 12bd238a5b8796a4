package top

import (
	"cmp"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Requests are the requests of all replicas.
type Requests struct {
	Requests []Request `json:"requests"`
	// Omitted is the number of requests beyond the limit.
	Omitted int `json:"omitted,omitempty"`
	// Executing and Waiting are numbers of requests, and SeatsInUse the initial seats of executing
	// ones, also beyond the limit.
	Executing  int `json:"executing"`
	Waiting    int `json:"waiting"`
	SeatsInUse int `json:"seatsInUse"`
	Origin
}

// State says what a request does.
type State string

// The states of a request.
const (
	Executing State = "executing"
	Waiting   State = "waiting"
)

// Request is one request.
type Request struct {
	Replica       string    `json:"replica"`
	Level         string    `json:"level"`
	FlowSchema    string    `json:"flowSchema"`
	Distinguisher string    `json:"distinguisher,omitempty"`
	State         State     `json:"state"`
	Arrived       time.Time `json:"arrived"`
	// AgeSeconds is the time since it arrived, and WaitSeconds the part of it that it
	// waited for seats.
	AgeSeconds  float64 `json:"ageSeconds"`
	WaitSeconds float64 `json:"waitSeconds"`
	// Queue is the index of its queue, -1 without queues; Place is its place in the queue
	// while it waits, and -1 afterwards.
	Queue int `json:"queue"`
	Place int `json:"place"`
	// Seats are used until the response, FinalSeats for the additional latency after it.
	Seats                    int     `json:"seats"`
	FinalSeats               int     `json:"finalSeats,omitempty"`
	AdditionalLatencySeconds float64 `json:"additionalLatencySeconds,omitempty"`
	User                     string  `json:"user,omitempty"`
	Verb                     string  `json:"verb,omitempty"`
	Path                     string  `json:"path,omitempty"`
	APIVersion               string  `json:"apiVersion,omitempty"`
	Resource                 string  `json:"resource,omitempty"`
	SubResource              string  `json:"subResource,omitempty"`
	Namespace                string  `json:"namespace,omitempty"`
	Name                     string  `json:"name,omitempty"`
}

// RequestOrders returns the sort keys of OfRequests; the first is the default.
func RequestOrders() []string { return keys(requestOrders()) }

func requestOrders() []order[Request] {
	return []order[Request]{
		{"age", func(a, b Request) int { return cmp.Compare(b.AgeSeconds, a.AgeSeconds) }},
		{"wait", func(a, b Request) int { return cmp.Compare(b.WaitSeconds, a.WaitSeconds) }},
		{"seats", func(a, b Request) int { return cmp.Compare(b.Seats, a.Seats) }},
		{"level", func(a, b Request) int { return cmp.Compare(a.Level, b.Level) }},
		{"user", func(a, b Request) int { return cmp.Compare(a.User, b.User) }},
	}
}

// OfRequests returns the requests that execute or wait. An error means that the
// options are invalid.
func OfRequests(now []replica.Replica, options Options) (Requests, error) {
	out := Requests{Origin: originOf(now), Requests: []Request{}}
	for i := range now {
		r := &now[i]
		for j := range r.Requests {
			request := requestOf(&r.Requests[j], r)
			if request.State == Waiting {
				out.Waiting++
			} else {
				out.Executing++
				out.SeatsInUse += request.Seats
			}
			out.Requests = append(out.Requests, request)
		}
	}
	var err error
	out.Requests, out.Omitted, err = choose(out.Requests, requestOrders(), options)
	return out, err
}

func requestOf(r *replica.Request, of *replica.Replica) Request {
	out := Request{
		Replica: of.Name, Level: r.Level, FlowSchema: r.FlowSchema, Distinguisher: r.Distinguisher,
		State: Waiting, Arrived: r.Arrived, AgeSeconds: seconds(r.Arrived, of.Read), Queue: r.Queue, Place: r.Place,
		Seats: r.InitialSeats, FinalSeats: r.FinalSeats, AdditionalLatencySeconds: r.Latency.Seconds(),
		User: r.User, Verb: r.Verb, Path: r.Path, APIVersion: r.APIVersion, Resource: r.Resource, SubResource: r.SubResource,
		Namespace: r.Namespace, Name: r.Name,
	}
	out.WaitSeconds = out.AgeSeconds
	if !r.Started.IsZero() {
		out.State, out.WaitSeconds = Executing, seconds(r.Arrived, r.Started)
	}
	return out
}
