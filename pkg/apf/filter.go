package apf

import (
	"net/http"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

// FilterOptions configures a filter.
type FilterOptions = filter.Options

// Filter returns the filter for a handler chain, in place of WithPriorityAndFairness of
// k8s.io/apiserver, see package filter. By default its Watches and Gauges are those of
// this FlowControl.
func (f *FlowControl) Filter(options FilterOptions) func(http.Handler) http.Handler {
	if options.Watches == nil {
		options.Watches = f.WatchTracker
	}
	if options.Gauges == nil {
		options.Gauges = f.countKinds()
	}
	return filter.New(f.engine, options)
}
