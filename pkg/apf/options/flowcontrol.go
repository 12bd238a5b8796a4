package options

import (
	"context"
	"net/http"
	"slices"
	"sync"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/apiserver/pkg/util/flowcontrol/fairqueuing"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

// metricsPath is where the library serves metrics.
const metricsPath = "/metrics"

// FlowControl is the flow control that ApplyTo sets: an apf.FlowControl with the sources of
// its configuration.
type FlowControl struct {
	*apf.FlowControl
	sources *sources
	file    *file    // nil without one
	cluster *cluster // nil unless it is followed
	lists   *apf.WorkEstimator
}

var _ flowcontrol.Interface = (*FlowControl)(nil)

// start applies what there is without waiting.
func (f *FlowControl) start(o *Options, config *rest.Config) {
	levels, schemas := BuiltIn()
	f.sources.offer(builtIn, "", levels, schemas, nil)
	if o.ConfigPath != "" {
		f.file = &file{path: o.ConfigPath, sources: f.sources, clock: o.Clock}
		f.file.read()
	}
	if !o.FollowCluster {
		return
	}
	client, err := clientOf(o.Client, config)
	if err != nil {
		f.sources.complain(fromCluster, err)
		return
	}
	f.cluster = newCluster(client, f.sources, o.Clock)
}

// Status returns where the configuration in force comes from.
func (f *FlowControl) Status() Status { return f.sources.status() }

// Run implements flowcontrol.Interface. It follows the sources until stop is closed.
func (f *FlowControl) Run(stop <-chan struct{}) error {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	if f.file != nil {
		running.Go(func() { f.file.follow(ctx) })
	}
	if f.cluster != nil {
		running.Go(func() { f.cluster.follow(ctx) })
	}
	return f.FlowControl.Run(stop)
}

// Install implements flowcontrol.Interface. It adds the debug endpoints, and makes /metrics
// serve the metrics of this FlowControl if the library serves it. A server with a /metrics of
// its own adds Registry to it.
func (f *FlowControl) Install(paths *mux.PathRecorderMux) {
	f.FlowControl.Install(paths)
	paths.UnlistedHandleFunc(statusPath, f.sources.serve)
	if slices.Contains(paths.ListedPaths(), metricsPath) {
		f.InstallMetrics(paths)
	}
}

// Handle implements flowcontrol.Interface. A list costs what ListCost says, and not what the
// filter of the library estimates.
func (f *FlowControl) Handle(
	ctx context.Context,
	digest flowcontrol.RequestDigest,
	note func(*flowcontrolv1.FlowSchema, *flowcontrolv1.PriorityLevelConfiguration, string),
	estimateWork func() fcrequest.WorkEstimate,
	queueNote fairqueuing.QueueNoteFn,
	execute func(),
) {
	if r := filter.RequestOf(ctx); r != nil {
		level := ""
		noteLevel := note
		note = func(s *flowcontrolv1.FlowSchema, l *flowcontrolv1.PriorityLevelConfiguration, flow string) {
			level = l.Name
			noteLevel(s, l, flow)
		}
		estimateWork = func() fcrequest.WorkEstimate { return f.lists.EstimateWork(r, "", level) }
	}
	f.FlowControl.Handle(ctx, digest, note, estimateWork, queueNote, execute)
}

// estimateLists wraps the handler chain, so that Handle knows the request and lists are
// measured where the chain executes them.
func (f *FlowControl) estimateLists(c *genericapiserver.Config, cost estimate.ListCost) {
	f.lists = f.WorkEstimator(apf.FilterOptions{
		ListCost: cost,
		Objects:  apf.ObjectsOf(c.StorageObjectCountTracker.Get),
		Sizes:    apf.SizesOf(c.StorageObjectCountTracker.Get),
	})
	build := c.BuildHandlerChainFunc
	c.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		return withoutEmptyUIDs(f.lists.Around(build(f.lists.Measure(handler), c)))
	}
}
