package simulate

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// apf is the engine of flowcontrol-apiserver.
type apf struct{ engine *engine.Engine }

var _ flowControl = apf{}

func newAPF(line *timeline, total int, tenants rules.Tenants, c engine.Configuration) (apf, []engine.Problem) {
	e := engine.New(engine.Options{Clock: apfClock{line}, Total: total, Tenants: tenants})
	return apf{e}, e.Apply(c)
}

func (a apf) begin() *engine.Request { return a.engine.Begin() }

func (a apf) arrive(c *call) (queueset.Outcome, string) {
	r := c.classified
	r.Decided = c.wake
	outcome := r.Arrive(c.work)
	switch outcome {
	case queueset.Seated:
		c.seat()
	case queueset.Rejected:
		reason := r.Reason().String()
		r.End()
		return outcome, reason
	}
	return outcome, ""
}

// seat sets the seats of a call of the engine APF, which may have bounded the estimate.
func (c *call) seat() {
	work := c.classified.Work
	c.held, c.kept, c.latency = work.Width(), 0, 0
	if work.Latency > 0 {
		c.kept, c.latency = work.Final, work.Latency
	}
}

func (apf) finish(c *call) {
	c.classified.Finish()
	c.classified.End()
}

func (apf) leave(c *call) {
	if c.classified.Leave(queueset.TimeOut) {
		c.classified.End()
	}
}

func (a apf) rebalance() { a.engine.Rebalance() }

func (a apf) limits() []limits {
	levels := a.engine.Levels()
	out := make([]limits, len(levels))
	for i := range levels {
		out[i] = limits{levels[i].Config, configuration.Limits(levels[i].Limits), levels[i].Seats.Current}
	}
	return out
}
