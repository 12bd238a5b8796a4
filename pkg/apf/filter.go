package apf

import (
	"net/http"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

// FilterOptions configures a filter.
type FilterOptions = filter.Options

// WorkEstimator estimates requests for WithPriorityAndFairness of k8s.io/apiserver.
type WorkEstimator = filter.WorkEstimator

// Filter returns the filter for a handler chain, in place of WithPriorityAndFairness of
// k8s.io/apiserver, see package filter. By default it uses the Watches, Learner and Gauges of this
// FlowControl.
func (f *FlowControl) Filter(options FilterOptions) func(http.Handler) http.Handler {
	if options.Gauges == nil {
		options.Gauges = f.countKinds()
	}
	return filter.New(f.engine, f.complete(options))
}

// WorkEstimator returns the estimator for a handler chain with WithPriorityAndFairness of
// k8s.io/apiserver, which by itself estimates as its release does. By default it uses the Watches
// and Learner of this FlowControl.
func (f *FlowControl) WorkEstimator(options FilterOptions) *WorkEstimator {
	return filter.NewWorkEstimator(f.complete(options), f.GetMaxSeats, f.engine.Now)
}

func (f *FlowControl) complete(options FilterOptions) FilterOptions {
	if options.Watches == nil {
		options.Watches = f.WatchTracker
	}
	if options.Learner == nil {
		options.Learner = f.learner
	}
	return options
}
