// Package replica holds the state of flow control that one API server reports: its debug
// endpoints under /debug/api_priority_and_fairness/ and its metrics. Priority levels
// are enforced by each replica separately, so their figures are added up over all
// replicas.
package replica

import (
	"slices"
	"time"
)

// Replica is the state of one API server at one time. Endpoints are read one after
// the other, so they are not of exactly the same time.
type Replica struct {
	// Name is the URL or the directory that it was read from.
	Name string `json:"name"`
	// Read is when it was read; of a directory, when its files were written.
	Read time.Time `json:"readAt"`
	// Taken is when the figures were true, for ages; zero if it is unknown. A file may be written
	// long after it, so of saved API responses it is the latest time in them.
	Taken time.Time `json:"-"`
	// Away reports that the server could not be reached: then only Name, Read and
	// Missing are set.
	Away     bool      `json:"away,omitempty"`
	Levels   []Level   `json:"-"`
	Queues   []Queue   `json:"-"`
	Requests []Request `json:"-"`
	Metrics  Metrics   `json:"-"`
	// Flows and Rejections are told by flowcontrol-apiserver only.
	Flows      []Flow      `json:"-"`
	Rejections []Rejection `json:"-"`
	// Missing says what could not be read.
	Missing []Missing `json:"missing,omitempty"`
}

// Since returns the seconds from a time until the figures were true; nil if that is unknown, as of the
// latest time in saved API responses. The clocks of two machines differ, so it is at least 0.
func (r *Replica) Since(at time.Time) *float64 {
	if r.Taken.IsZero() || r.Taken.Equal(at) {
		return nil
	}
	return new(max(0, r.Taken.Sub(at).Seconds()))
}

// Lacks reports whether an endpoint could not be read.
func (r *Replica) Lacks(endpoint Endpoint) bool {
	return slices.ContainsFunc(r.Missing, func(m Missing) bool { return m.What == string(endpoint) })
}

// Missing is something that could not be read.
type Missing struct {
	// What is the path of an endpoint, or another name of what could not be read.
	What string `json:"what"`
	// Why is one sentence, with the remedy.
	Why string `json:"why"`
}

// The rows of dumps. A tag names the column, which the dump may lack.

// Level is a row of dump_priority_levels.
type Level struct {
	Name      string `column:"PriorityLevelName"`
	Waiting   int    `column:"WaitingRequests"`
	Executing int    `column:"ExecutingRequests"`
	Rejected  uint64 `column:"RejectedRequests"`
	TimedOut  uint64 `column:"TimedoutRequests"`
	Cancelled uint64 `column:"CancelledRequests"`
}

// Queue is a row of dump_queues.
type Queue struct {
	Level     string `column:"PriorityLevelName"`
	Index     int    `column:"Index"`
	Waiting   int    `column:"PendingRequests"`
	Executing int    `column:"ExecutingRequests"`
	SeatsUsed int    `column:"SeatsInUse"`
	// Work is the work of the waiting requests, in seat-seconds.
	Work float64 `column:"TotalWorkSum"`
}

// Request is a row of dump_requests with details.
type Request struct {
	Level         string `column:"PriorityLevelName" json:"level"`
	FlowSchema    string `column:"FlowSchemaName" json:"flowSchema"`
	Distinguisher string `column:"FlowDistinguisher" json:"distinguisher,omitempty"`
	// Queue is the index of the queue; -1 without queues. Place is the place in it;
	// -1 for a request that executes.
	Queue   int       `column:"QueueIndex" json:"queue" absent:"-1"`
	Place   int       `column:"RequestIndexInQueue" json:"place" absent:"-1"`
	Arrived time.Time `column:"ArriveTime" json:"arrived"`
	Started time.Time `column:"StartTime" json:"-"` // zero while the request waits
	// InitialSeats are used until the response, FinalSeats for Latency after it.
	// InitialSeats is nil if the dump does not tell seats, before Kubernetes 1.23.
	InitialSeats *int          `column:"InitialSeats" json:"seats"`
	FinalSeats   int           `column:"FinalSeats" json:"finalSeats,omitempty"`
	Latency      time.Duration `column:"AdditionalLatency" json:"-"`
	User         string        `column:"UserName" json:"user,omitempty"`
	Verb         string        `column:"Verb" json:"verb,omitempty"`
	Path         string        `column:"APIPath" json:"path,omitempty"`
	Namespace    string        `column:"Namespace" json:"namespace,omitempty"`
	Name         string        `column:"Name" json:"name,omitempty"`
	APIVersion   string        `column:"APIVersion" json:"apiVersion,omitempty"`
	Resource     string        `column:"Resource" json:"resource,omitempty"`
	SubResource  string        `column:"SubResource" json:"subResource,omitempty"`
	// Tenant is told by flowcontrol-apiserver for flows that share a tenant.
	Tenant string `column:"Tenant" json:"tenant,omitempty"`
}

// Flow is a flow with the seat-seconds that it used lately (top_flows).
type Flow struct {
	Level         string `column:"PriorityLevelName"`
	FlowSchema    string `column:"FlowSchemaName"`
	Distinguisher string `column:"FlowDistinguisher"`
	// SeatSeconds were used in the last 1 and 15 minutes. They may be too large by Error, which
	// bounds the error of the sketch.
	SeatSeconds1m  float64 `column:"SeatSeconds1m"`
	SeatSeconds15m float64 `column:"SeatSeconds15m"`
	Error1m        float64 `column:"Error1m"`
	Tenant         string  `column:"Tenant"` // as in Request
}

// Rejection is the last rejection of a flow (rejections).
type Rejection struct {
	Level         string    `column:"PriorityLevelName"`
	FlowSchema    string    `column:"FlowSchemaName"`
	Distinguisher string    `column:"FlowDistinguisher"`
	Reason        string    `column:"Reason"`
	Count         uint64    `column:"Count"`
	First         time.Time `column:"FirstTime"`
	Last          time.Time `column:"LastTime"`
	User          string    `column:"UserName"`
}
