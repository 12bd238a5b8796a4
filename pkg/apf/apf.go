package apf

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	flowcontrolclient "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/borrowing"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/debugendpoints"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/machine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/metrics"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/recommender"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/statussync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// Config configures a FlowControl.
type Config struct {
	// Levels and Schemas are the informers of PriorityLevelConfigurations and
	// FlowSchemas in k8s.io/api/flowcontrol/v1. The caller starts them.
	Levels, Schemas cache.SharedIndexInformer
	// SchemaPatcher and LevelGetter are the typed clients for the status of
	// FlowSchemas. Without them no status is written.
	SchemaPatcher statussync.SchemaPatcher
	LevelGetter   statussync.LevelGetter
	// Total is the number of seats of the server. With TotalControl in the mode Adaptive
	// it is the total at the start.
	Total int
	// TotalControl says whether a total is recommended by what the machine can bear, and
	// whether the total follows it, see package total. The zero value means neither.
	TotalControl total.Options
	// Sampler measures the machine. The default measures that of this process.
	Sampler recommender.Sampler
	// Registerer registers the metrics, unless it is nil.
	Registerer prometheus.Registerer
}

// ConfigFor returns a Config. The parameters are those of flowcontrol.New of
// k8s.io/apiserver.
func ConfigFor(factory informers.SharedInformerFactory, client flowcontrolclient.FlowcontrolV1Interface, total int) Config {
	v1 := factory.Flowcontrol().V1()
	return Config{
		Levels:        v1.PriorityLevelConfigurations().Informer(),
		Schemas:       v1.FlowSchemas().Informer(),
		SchemaPatcher: client.FlowSchemas(),
		LevelGetter:   client.PriorityLevelConfigurations(),
		Total:         total,
	}
}

// FlowControl implements flow control for one server. Create one with New.
type FlowControl struct {
	engine    *engine.Engine
	collector *metrics.Collector
	flows     *metrics.FlowCollector
	config    *configsync.Controller
	totals    *metrics.TotalCollector
	status    *statussync.Controller   // nil if no status is written
	sizing    *recommender.Recommender // nil if no total is recommended
	clock     utilclock.WithTicker
	flowcontrol.WatchTracker
}

var _ flowcontrol.Interface = (*FlowControl)(nil)

// New returns a FlowControl with the mandatory configuration. Run applies that of the
// API.
func New(config Config) (*FlowControl, error) {
	f := &FlowControl{
		engine:       engine.New(engine.Options{Total: config.Total}),
		clock:        utilclock.RealClock{},
		WatchTracker: flowcontrol.NewWatchTracker(),
	}
	f.collector, f.flows, f.totals = metrics.NewCollector(f.engine), metrics.NewFlowCollector(f.engine), metrics.NewTotalCollector(f)
	if registerer := config.Registerer; registerer != nil {
		if err := errors.Join(registerer.Register(f.collector), registerer.Register(f.flows), registerer.Register(f.totals)); err != nil {
			return nil, err
		}
	}
	err := f.recommendTotal(config)
	if err != nil {
		return nil, err
	}
	f.config, err = configsync.New(configsync.Config{
		Levels: config.Levels, Schemas: config.Schemas,
		Engine: observedEngine{f.engine}, Clock: f.clock,
	})
	if err != nil {
		return nil, err
	}
	if config.SchemaPatcher == nil || config.LevelGetter == nil {
		return f, nil
	}
	f.status, err = statussync.New(statussync.Config{
		Levels: config.Levels, Schemas: config.Schemas,
		SchemaPatcher: config.SchemaPatcher, LevelGetter: config.LevelGetter,
		Clock: f.clock,
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// recommendTotal makes the recommender of the total, unless the total is static.
func (f *FlowControl) recommendTotal(config Config) (err error) {
	options := config.TotalControl
	if options.Mode == "" || options.Mode == total.Static {
		return nil
	}
	sampler := config.Sampler
	if sampler == nil {
		sampler = machine.NewSampler(os.DirFS("/"))
	}
	f.sizing, err = recommender.New(recommender.Config{
		Engine: f.engine, Sampler: sampler, Options: options, Clock: f.clock, Logger: klog.Background(),
	})
	return err
}

// Engine returns the engine, for filter.New.
func (f *FlowControl) Engine() *engine.Engine { return f.engine }

// Collector returns the collector of the metrics that k8s.io/apiserver has too.
func (f *FlowControl) Collector() *metrics.Collector { return f.collector }

// FlowCollector returns the collector of the metrics that k8s.io/apiserver does not have.
func (f *FlowControl) FlowCollector() *metrics.FlowCollector { return f.flows }

// TotalCollector returns the collector of the metrics of the total.
func (f *FlowControl) TotalCollector() *metrics.TotalCollector { return f.totals }

// TotalStatus returns the total and the recommendation, if there is one.
func (f *FlowControl) TotalStatus() total.Status {
	if f.sizing == nil {
		return total.Status{InEffect: f.engine.Total()}
	}
	return f.sizing.Status()
}

// Applied returns a channel that is closed when the objects of the API have been
// applied for the first time.
func (f *FlowControl) Applied() <-chan struct{} { return f.config.Applied() }

// Run applies the objects of the API until stop is closed.
func (f *FlowControl) Run(stop <-chan struct{}) error {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()
	running.Go(func() {
		select {
		case <-stop:
			cancel()
		case <-ctx.Done():
		}
	})
	running.Go(func() { borrowing.Run(ctx, f.clock, observedEngine{f.engine}) })
	if f.sizing != nil {
		running.Go(func() { f.sizing.Run(ctx) })
	}
	if f.status != nil {
		running.Go(func() {
			if err := f.status.Run(ctx); err != nil {
				klog.ErrorS(err, "Failed to run the controller of the status of FlowSchemas")
			}
		})
	}
	return f.config.Run(ctx)
}

// Install adds the debug endpoints.
func (f *FlowControl) Install(c *mux.PathRecorderMux) { debugendpoints.Install(c, f.engine) }

// GetMaxSeats returns the largest work estimate on a level, in seats; 0 means no bound.
func (f *FlowControl) GetMaxSeats(priorityLevelName string) uint64 {
	return uint64(f.engine.MaxWidth(priorityLevelName))
}

// SetMaxSeats does nothing: the configuration determines the bound.
func (f *FlowControl) SetMaxSeats(string, uint64) {}

// ForgetPriorityLevel does nothing.
func (f *FlowControl) ForgetPriorityLevel(string) {}
