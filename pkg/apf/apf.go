package apf

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/apiserver/pkg/server/mux"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	"k8s.io/client-go/informers"
	flowcontrolclient "k8s.io/client-go/kubernetes/typed/flowcontrol/v1"
	"k8s.io/client-go/tools/cache"
	"k8s.io/klog/v2"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/configsync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/debugendpoints"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/metrics"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/statussync"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/total"
)

// Config configures a FlowControl.
type Config struct {
	// Levels and Schemas are the informers of PriorityLevelConfigurations and
	// FlowSchemas in k8s.io/api/flowcontrol/v1. The caller starts them. Without them
	// Apply sets the configuration.
	Levels, Schemas cache.SharedIndexInformer
	// SchemaPatcher and LevelGetter are the typed clients for the status of
	// FlowSchemas. Without them no status is written.
	SchemaPatcher SchemaPatcher
	LevelGetter   LevelGetter
	// Total is the number of seats of the server. With TotalControl in the mode Adaptive
	// it is the initial total.
	Total int
	// TotalControl says whether a total is recommended by what the machine can bear, and
	// whether the total follows it, see package total. The zero value means neither.
	TotalControl total.Options
	// Tenants says which flows are one tenant. By default each flow is a tenant of its own.
	Tenants rules.Tenants
	// Period is the time between two divisions of the seats by demand. The default is ten
	// seconds, as in k8s.io/apiserver. With few seats a shorter one divides them sooner.
	Period time.Duration
	// Sampler measures the machine. The default measures this process's machine.
	Sampler total.Sampler
	// Clock is the source of time, such as a FakeClock of k8s.io/utils/clock/testing. It must not
	// go back. The default is the monotonic clock of the machine. A request waits until the
	// deadline of its context, on the clock of the machine.
	Clock utilclock.WithTickerAndDelayedExecution
}

// SchemaPatcher patches FlowSchemas.
type SchemaPatcher = statussync.SchemaPatcher

// LevelGetter gets PriorityLevelConfigurations.
type LevelGetter = statussync.LevelGetter

// ConfigFor returns a Config. The parameters are the same as for flowcontrol.New of
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

// FlowControl implements flow control for one server. Several may live in one process.
// Create one with New.
type FlowControl struct {
	engine   *engine.Engine
	clock    utilclock.WithTicker
	config   *configsync.Controller // nil without informers
	status   *statussync.Controller // nil if no status is written
	period   time.Duration
	sizing   *total.Recommender // nil if no total is recommended
	history  *estimate.History
	registry *prometheus.Registry
	library  *metrics.Collector // of the families that k8s.io/apiserver has too
	// alone handles requests without a Filter around their handler chain.
	alone *filter.Filter
	flowcontrol.WatchTracker
}

var _ flowcontrol.Interface = (*FlowControl)(nil)

// New returns a FlowControl with the mandatory configuration. Run applies the API's configuration.
func New(config Config) (*FlowControl, error) {
	if (config.Levels == nil) != (config.Schemas == nil) {
		return nil, errors.New("only one of the informers of PriorityLevelConfigurations and FlowSchemas is set: set both, or none and call Apply")
	}
	if err := cmp.Or(config.Tenants, rules.NoTenants).Validate(); err != nil {
		return nil, fmt.Errorf("tenants: %w", err)
	}
	var now clock.Clock = clock.NewReal()
	if config.Clock == nil {
		config.Clock = utilclock.RealClock{}
	} else {
		now = newUtilsClock(config.Clock)
	}
	klog.V(2).InfoS("Creating flow control", "totalSeats", config.Total, "totalMode", config.TotalControl.Mode)
	f := &FlowControl{
		engine:       engine.New(engine.Options{Total: config.Total, Tenants: config.Tenants, Clock: now, Observer: newObserver()}),
		clock:        config.Clock,
		history:      estimate.NewHistory(),
		period:       cmp.Or(config.Period, allocation.Period),
		WatchTracker: flowcontrol.NewWatchTracker(),
	}
	f.alone = f.Filter(FilterOptions{})
	f.registerMetrics()
	if err := f.recommendTotal(config); err != nil {
		return nil, err
	}
	if err := f.followAPI(config); err != nil {
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
		sampler = total.NewMachine(os.DirFS("/"))
	}
	f.sizing, err = total.New(total.Config{
		Engine: f.engine, Sampler: sampler, Options: options, Clock: f.clock, Logger: klog.Background(),
	})
	return err
}

// followAPI makes the controllers of the objects of the API, if there are informers.
func (f *FlowControl) followAPI(config Config) (err error) {
	if config.Levels == nil {
		return nil
	}
	f.config, err = configsync.New(configsync.Config{
		Levels: config.Levels, Schemas: config.Schemas, Engine: f.engine, Clock: f.clock,
	})
	if err != nil || config.SchemaPatcher == nil || config.LevelGetter == nil {
		return err
	}
	f.status = statussync.New(statussync.Config{
		Levels: config.Levels, Schemas: config.Schemas,
		SchemaPatcher: config.SchemaPatcher, LevelGetter: config.LevelGetter,
		Clock: f.clock,
	})
	return nil
}

// Engine returns the engine.
func (f *FlowControl) Engine() *engine.Engine { return f.engine }

// TotalStatus returns the total and the recommendation, if there is one.
func (f *FlowControl) TotalStatus() total.Status {
	if f.sizing == nil {
		return total.Status{InEffect: f.engine.Total()}
	}
	return f.sizing.Status()
}

// ConfigurationStatus returns how much of the stored configuration is enforced. Without
// informers it is the zero value.
func (f *FlowControl) ConfigurationStatus() engine.ConfigurationStatus {
	if f.config == nil {
		return engine.ConfigurationStatus{}
	}
	return f.config.Status()
}

// Applied returns a channel that is closed when the objects of the API have been
// applied for the first time. Without informers it is closed.
func (f *FlowControl) Applied() <-chan struct{} {
	if f.config != nil {
		return f.config.Applied()
	}
	closed := make(chan struct{})
	close(closed)
	return closed
}

// Run divides the seats by demand after every period and applies the objects of the API
// until stop is closed.
func (f *FlowControl) Run(stop <-chan struct{}) error {
	klog.InfoS("Starting flow control")
	defer klog.InfoS("Flow control has stopped")
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
	running.Go(func() { periodic.Run(ctx, f.clock, f.period, f.engine.Rebalance) })
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
	if f.config != nil {
		return f.config.Run(ctx)
	}
	<-ctx.Done()
	return nil
}

// Install adds the debug endpoints.
func (f *FlowControl) Install(c *mux.PathRecorderMux) {
	debugendpoints.Install(c, f.engine, f.history)
}

// GetMaxSeats returns the largest work estimate on a level, in seats; 0 means no bound.
func (f *FlowControl) GetMaxSeats(priorityLevelName string) uint64 {
	return uint64(f.engine.MaxWidth(priorityLevelName))
}

// SetMaxSeats does nothing: the configuration determines the bound.
func (f *FlowControl) SetMaxSeats(string, uint64) {}

// ForgetPriorityLevel does nothing.
func (f *FlowControl) ForgetPriorityLevel(string) {}
