package simulate

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// ours is the engine of flowcontrol-apiserver.
type ours struct{ engine *engine.Engine }

var _ flowControl = ours{}

func newOurs(line *timeline, total int, tenants rules.Tenants, c engine.Configuration) (ours, []engine.Problem) {
	e := engine.New(engine.Options{Clock: ourClock{line}, Total: total, Tenants: tenants, Shards: 1})
	return ours{e}, e.Apply(c)
}

func (o ours) begin() *engine.Request { return o.engine.Begin() }

func (o ours) arrive(c *call) (queueset.Outcome, string) {
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

// seat sets the seats of a call of the engine Ours, which may have bounded the estimate.
func (c *call) seat() {
	work := c.classified.Work
	c.held, c.kept, c.latency = work.Width(), 0, 0
	if work.Latency > 0 {
		c.kept, c.latency = work.Final, work.Latency
	}
}

func (ours) finish(c *call) {
	c.classified.Finish()
	c.classified.End()
}

func (ours) leave(c *call) {
	if c.classified.Leave(queueset.TimeOut) {
		c.classified.End()
	}
}

func (o ours) rebalance() { o.engine.Rebalance() }

func (o ours) limits() []limits {
	levels := o.engine.Levels()
	out := make([]limits, len(levels))
	for i := range levels {
		out[i] = limits{levels[i].Config, configuration.Limits(levels[i].Limits), levels[i].Seats.Current}
	}
	return out
}
