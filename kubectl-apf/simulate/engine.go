package simulate

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// EngineKind names an engine, see the package comment.
type EngineKind string

// The engines.
const (
	Library EngineKind = "library" // the value of --engine
	APF     EngineKind = "apf"
)

// call is a request on its way through the flow control of a replica. Calls are used
// again, so that most requests allocate nothing.
type call struct {
	// classified is the request with its flow schema and priority level.
	classified *engine.Request
	work       seats.Work
	// wake is called by a flowControl when it dispatched the waiting call, after it has set
	// held, kept and latency.
	wake func()

	// held are the seats while it executes, kept those for latency after that.
	held, kept int
	latency    time.Duration

	library  libraryCall // of the engine Library
	progress progress    // of the simulation
}

// flowControl is the flow control of one replica in virtual time. It is used by one
// goroutine.
type flowControl interface {
	// begin returns a request that is to be classified and estimated. The flowControl owns
	// it from arrive on.
	begin() *engine.Request
	// arrive asks for seats. If the outcome is Waiting, wake of the call is called when it
	// may execute, unless it leaves. If it is Rejected, reason says why.
	arrive(c *call) (outcome queueset.Outcome, reason string)
	// finish ends the execution of a call.
	finish(c *call)
	// leave removes a waiting call from its queue, because its time is over.
	leave(c *call)
	// rebalance ends a demand period and divides the seats again.
	rebalance()
	// limits returns the limits of the levels, by name.
	limits() []limits
}

// limits are the limits of one level of one replica, in seats.
type limits struct {
	config engine.LevelConfig
	configuration.Limits
	current int
}
