package top

import (
	"cmp"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Requests are the requests of all replicas.
type Requests struct {
	Requests []Request `json:"requests"`
	// Omitted is the number of requests beyond the limit.
	Omitted int `json:"omitted,omitempty"`
	// Executing and Waiting are numbers of requests, and SeatsInUse the seats of executing ones, also
	// beyond the limit.
	Executing  int  `json:"executing"`
	Waiting    int  `json:"waiting"`
	SeatsInUse *int `json:"seatsInUse"`
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
	Replica string `json:"replica"`
	State   State  `json:"state"`
	// AgeSeconds is the time since it arrived, and WaitSeconds the part of it that it
	// waited for seats.
	AgeSeconds               *float64 `json:"ageSeconds"`
	WaitSeconds              *float64 `json:"waitSeconds"`
	AdditionalLatencySeconds float64  `json:"additionalLatencySeconds,omitempty"`
	replica.Request
}

// RequestOrders returns the sort keys of OfRequests; the first is the default.
func RequestOrders() []string { return keys(requestOrders()) }

func requestOrders() []order[Request] {
	return []order[Request]{
		{"age", func(a, b Request) int { return descending(a.AgeSeconds, b.AgeSeconds) }},
		{"wait", func(a, b Request) int { return descending(a.WaitSeconds, b.WaitSeconds) }},
		{"seats", func(a, b Request) int { return descending(a.InitialSeats, b.InitialSeats) }},
		{"level", func(a, b Request) int { return cmp.Compare(a.Level, b.Level) }},
		{"user", func(a, b Request) int { return cmp.Compare(a.User, b.User) }},
	}
}

// OfRequests returns the requests that execute or wait. An error means that the
// options are invalid.
func OfRequests(now []replica.Replica, options Options) (Requests, error) {
	out := Requests{Origin: originOf(now), Requests: []Request{}, SeatsInUse: new(0)}
	for i := range now {
		r := &now[i]
		for j := range r.Requests {
			request := requestOf(&r.Requests[j], r)
			if request.State == Waiting {
				out.Waiting++
			} else {
				out.Executing++
				out.SeatsInUse = replica.Plus(out.SeatsInUse, request.Seats())
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
		Request: *r, Replica: of.Name, State: Waiting, AgeSeconds: of.Since(r.Arrived), AdditionalLatencySeconds: r.Latency.Seconds(),
	}
	out.WaitSeconds = out.AgeSeconds
	if !r.Started.IsZero() {
		out.State, out.WaitSeconds = Executing, new(max(0, r.Started.Sub(r.Arrived).Seconds()))
	}
	return out
}
