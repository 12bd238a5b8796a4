// Package replica holds what one API server tells of its flow control: its debug
// endpoints under /debug/api_priority_and_fairness/ and its metrics. Priority levels
// are enforced by each replica separately, so their figures are added up over all
// replicas.
package replica

import "time"

// Replica is the state of one API server at one time. Endpoints are read one after
// the other, so they are not of exactly the same time.
type Replica struct {
	// Name is the URL or the directory that it was read from.
	Name string
	// Read is when it was read; of a directory, when its files were written.
	Read time.Time
	// Away reports that the server could not be reached: then only Name, Read and
	// Missing are set.
	Away     bool
	Levels   []Level
	Queues   []Queue
	Requests []Request
	Metrics  Metrics
	// Flows and Rejections are told by flowcontrol-apiserver only.
	Flows      []Flow
	Rejections []Rejection
	// Missing says what could not be read.
	Missing []Missing
}

// Missing is something that could not be read.
type Missing struct {
	// What is the path of an endpoint, or another name of what could not be read.
	What string `json:"what"`
	// Why is one sentence, with the remedy.
	Why string `json:"why"`
}

// Level is a row of dump_priority_levels.
type Level struct {
	Name                                      string
	Quiescing, Idle                           bool
	ActiveQueues, Waiting, Executing          int
	Dispatched, Rejected, TimedOut, Cancelled uint64
}

// Queue is a row of dump_queues.
type Queue struct {
	Level                         string
	Index                         int
	Waiting, Executing, SeatsUsed int
	// Work is the work of the waiting requests, in seat-seconds.
	Work float64
}

// Request is a row of dump_requests with details.
type Request struct {
	Level, FlowSchema, Distinguisher string
	// Queue is the index of the queue; -1 without queues. Place is the place in it;
	// -1 for a request that executes.
	Queue, Place     int
	Arrived, Started time.Time // Started is zero while the request waits
	// InitialSeats are used until the response, FinalSeats for Latency after it.
	InitialSeats, FinalSeats                                             int
	Latency                                                              time.Duration
	User, Verb, Path, Namespace, Name, APIVersion, Resource, SubResource string
}

// Flow is a flow with the seat-seconds that it used lately (top_flows).
type Flow struct {
	Level, FlowSchema, Distinguisher string
	// SeatSeconds were used in the last 1, 5 and 15 minutes. They may be too large by
	// Error, which bounds the error of the sketch.
	SeatSeconds, Error [3]float64
}

// Rejection is the last rejection of a flow (rejections).
type Rejection struct {
	Level, FlowSchema, Distinguisher string
	Reason                           string
	Count                            uint64
	First, Last                      time.Time
	User, Verb, Path                 string
	Queue, Seats                     int
}
