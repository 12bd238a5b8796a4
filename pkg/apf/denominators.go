package apf

import (
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// adopted is the engine of a server that may have the library's filter: its
// read_vs_write_current_requests are fractions of what the library's engine says.
type adopted struct{ *engine.Engine }

var _ configsync.Applier = adopted{}

// Apply implements configsync.Applier.
func (a adopted) Apply(c engine.Configuration) []engine.Problem {
	problems := a.Engine.Apply(c)
	waiting, executing := capacity(c)
	metrics.GetWaitingReadonlyConcurrency().SetDenominator(waiting)
	metrics.GetWaitingMutatingConcurrency().SetDenominator(waiting)
	metrics.GetExecutingReadonlyConcurrency().SetDenominator(executing)
	metrics.GetExecutingMutatingConcurrency().SetDenominator(executing)
	return problems
}

// capacity returns how many requests may wait, and the sum of the nominal limits,
// both at least 1, to divide by.
func capacity(c engine.Configuration) (waiting, executing float64) {
	shares := make([]allocation.Share, len(c.Levels))
	for i := range c.Levels {
		level := &c.Levels[i]
		shares[i] = level.Share
		if level.Discipline == queueset.Queue {
			waiting += float64(level.Queues) * float64(level.QueueLengthLimit)
		}
	}
	for _, limits := range allocation.Nominal(c.Total, shares) {
		executing += float64(limits.Nominal)
	}
	return max(waiting, 1), max(executing, 1)
}
