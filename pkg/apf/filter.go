package apf

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

// FilterOptions configures a filter.
type FilterOptions = filter.Options

// Filter returns what goes around and into a handler chain with WithPriorityAndFairness of
// k8s.io/apiserver, and a whole filter for a program without such a chain, see package filter. By
// default it uses the WatchTracker and the history of this FlowControl.
func (f *FlowControl) Filter(options FilterOptions) *filter.Filter {
	if options.Watches == nil {
		options.Watches = f.WatchTracker
	}
	if options.History == nil {
		options.History = f.history
	}
	return filter.New(f.engine, options)
}

// Handle implements flowcontrol.Interface. It calls queueNote only for requests that
// wait.
func (f *FlowControl) Handle(
	ctx context.Context,
	digest flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimateWork func() fcrequest.WorkEstimate,
	queueNote fairqueuing.QueueNoteFn,
	execute func(),
) {
	f.alone.Handle(ctx, digest, note, estimateWork, queueNote, execute)
}
