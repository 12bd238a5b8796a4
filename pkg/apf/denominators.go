package apf

import (
	"k8s.io/apiserver/pkg/util/flowcontrol/metrics"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/borrowing"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// observedEngine is an engine that tells its capacity to the library's metric
// read_vs_write_current_requests. The library's filter, which a server may have in
// front of this engine, counts in fractions of that capacity.
type observedEngine struct{ *engine.Engine }

var (
	_ configsync.Applier   = observedEngine{}
	_ borrowing.Rebalancer = observedEngine{}
)

// Apply implements configsync.Applier.
func (e observedEngine) Apply(c engine.Configuration) []engine.Problem {
	defer e.setDenominators()
	return e.Engine.Apply(c)
}

// Rebalance implements borrowing.Rebalancer. The capacity shrinks when a level that
// quiesced has drained, and follows the total.
func (e observedEngine) Rebalance() {
	e.Engine.Rebalance()
	e.setDenominators()
}

func (e observedEngine) setDenominators() {
	waiting, executing := e.Capacity()
	metrics.GetWaitingReadonlyConcurrency().SetDenominator(max(waiting, 1))
	metrics.GetWaitingMutatingConcurrency().SetDenominator(max(waiting, 1))
	metrics.GetExecutingReadonlyConcurrency().SetDenominator(max(executing, 1))
	metrics.GetExecutingMutatingConcurrency().SetDenominator(max(executing, 1))
}
