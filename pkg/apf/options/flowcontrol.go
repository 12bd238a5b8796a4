package options

import (
	"context"
	"net/http"
	"slices"
	"sync"

	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// metricsPath is where the library serves metrics.
const metricsPath = "/metrics"

// FlowControl is the flow control that ApplyTo sets: an apf.FlowControl with the sources of
// its configuration.
type FlowControl struct {
	*apf.FlowControl
	sources *sources // nil if informers are the source
	file    *file    // nil without one
	cluster *cluster // nil unless it is followed
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

// Status returns where the configuration comes from. It is the zero value with Informers,
// whose state ConfigurationStatus says.
func (f *FlowControl) Status() Status {
	if f.sources == nil {
		return Status{}
	}
	return f.sources.status()
}

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
	if f.sources != nil {
		paths.UnlistedHandleFunc(statusPath, f.sources.serve)
	}
	if slices.Contains(paths.ListedPaths(), metricsPath) {
		f.InstallMetrics(paths)
	}
}

// govern wraps the handler chain, so that flow control knows the requests, and measures lists where
// the chain executes them.
func (f *FlowControl) govern(c *genericapiserver.Config, options apf.FilterOptions) {
	if options.Objects == nil {
		options.Objects = apf.ObjectsOf(c.StorageObjectCountTracker.Get)
	}
	if options.Sizes == nil {
		options.Sizes = apf.SizesOf(c.StorageObjectCountTracker.Get)
	}
	filter := f.Filter(options)
	build := c.BuildHandlerChainFunc
	c.BuildHandlerChainFunc = func(handler http.Handler, c *genericapiserver.Config) http.Handler {
		return filter.Around(build(filter.Inside(handler), c))
	}
}
