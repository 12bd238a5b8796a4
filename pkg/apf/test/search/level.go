package search

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

// Request is one request. Everything before Duration is known to a server when the request arrives.
type Request struct {
	Tenant, Flow string
	// TenantWeight and Weight are of the tenant and of the flow, as this request names them.
	TenantWeight, Weight float64
	// Width is the number of seats.
	Width int
	// Deadline is after which time from its arrival the client has said it leaves; 0 if it has not.
	Deadline time.Duration
	Arrived  time.Duration

	// Duration is how long the request executes. Only the Reference reads it.
	Duration time.Duration
	// Patience is after which time from its arrival the client leaves. A request that executes then
	// keeps its seats to its end, in vain. 0 is for ever. No discipline reads it.
	Patience time.Duration

	// State belongs to the Level.
	State any

	account        *account // of a judge
	trial          *trial   // of a judge
	last           Kind     // of its events
	contended      bool     // others waited when it started, says a judge
	known          bool     // a request of its flow had ended then
	client, thread int
	tries          int // rejections of what this request tries again
	started, ended time.Duration
	phase          phase
}

// Work returns the seat-seconds of the request.
func (r *Request) Work() float64 { return float64(r.Width) * r.Duration.Seconds() }

type phase uint8

const (
	absent phase = iota
	waits
	executes
	over
)

// Config is what a Level is made for. As many requests may wait as the queues hold, and as many of one
// flow as the queues of a hand.
type Config struct {
	Seats                         int
	Queues, HandSize, QueueLength int
}

// Waiting returns how many requests may wait.
func (c Config) Waiting() int { return c.Queues * c.QueueLength }

// FlowWaiting returns how many requests of one flow may wait.
func (c Config) FlowWaiting() int { return c.HandSize * c.QueueLength }

// Host is what a Level runs in. Its methods may be called within any method of the Level, and in a
// function passed to AfterFunc. They do not call back.
type Host interface {
	clock.Clock
	// Start says that r executes from now on.
	Start(r *Request)
	// Reject says that r is rejected, at its arrival or while it waits, and when its client should
	// return: 0 if the Level does not say.
	Reject(r *Request, retryAfter time.Duration)
}

// Level is one priority level. Each method acts at Host.Now.
type Level interface {
	// Arrive brings a request. The Level starts it, rejects it, or keeps it waiting.
	Arrive(r *Request)
	// Leave removes a request that waits: its client has gone.
	Leave(r *Request)
	// Finish ends a request that executes.
	Finish(r *Request)
	// SetSeats changes the number of seats, which may be 0 and less than are in use.
	SetSeats(n int)
}

// Discipline is a kind of Level.
type Discipline struct {
	Name string
	New  func(Host, Config) Level
}
