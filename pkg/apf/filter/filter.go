package filter

import (
	"context"
	"net/http"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/server/filters"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

// Filter is flow control in a handler chain, see the package comment. Create one with New.
type Filter struct {
	Options
	engine     *engine.Engine
	lists      *lists
	exempt     *exemptGate
	uidHeaders [2]string // of flow schema and priority level, in canonical form
}

// New returns a Filter.
func New(e *engine.Engine, options Options) *Filter {
	options = options.complete()
	return &Filter{
		Options: options,
		engine:  e,
		lists:   newLists(options, e),
		exempt:  &exemptGate{ExemptLimit: options.ExemptLimit},
		uidHeaders: [2]string{
			http.CanonicalHeaderKey(flowcontrolv1.ResponseHeaderMatchedFlowSchemaUID),
			http.CanonicalHeaderKey(flowcontrolv1.ResponseHeaderMatchedPriorityLevelConfigurationUID),
		},
	}
}

// Handler returns the handler behind flow control, for a program without a handler chain of the
// library. What is in front of it puts the RequestInfo and the user into the context.
func (f *Filter) Handler(handler http.Handler) http.Handler {
	one := func(*http.Request, string, string) fcrequest.WorkEstimate {
		return fcrequest.WorkEstimate{InitialSeats: 1}
	}
	return f.Around(filters.WithPriorityAndFairness(f.Inside(handler), f.LongRunning, slot{filter: f}, one, f.WaitLimit))
}

// slot is what WithPriorityAndFairness uses of a flowcontrol.Interface.
type slot struct {
	flowcontrol.Interface // of no use here
	filter                *Filter
}

// Handle implements flowcontrol.Interface.
func (s slot) Handle(
	ctx context.Context, digest flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimateWork func() fcrequest.WorkEstimate, queueNote fairqueuing.QueueNoteFn, execute func(),
) {
	s.filter.Handle(ctx, digest, note, estimateWork, queueNote, execute)
}

// RegisterWatch implements flowcontrol.Interface.
func (s slot) RegisterWatch(r *http.Request) flowcontrol.ForgetWatchFunc {
	return s.filter.Watches.RegisterWatch(r)
}
