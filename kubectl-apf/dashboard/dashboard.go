package dashboard

import (
	"context"
	"sync"
	"time"

	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/top"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

// Window is how long readings are remembered.
const Window = 10 * time.Minute

// Options configure a Dashboard.
type Options struct {
	// Name is what the page is titled with, such as the address of the cluster.
	Name string
	// Interval is the time between two readings. It must be more than 0.
	Interval time.Duration
	// Flows is the largest number of flows on the page, the heaviest ones; 0: all.
	Flows int
	Clock utilclock.WithTicker
}

// Dashboard reads the replicas of an API server repeatedly, and serves what it
// read. Its methods may be called concurrently, Read excepted.
type Dashboard struct {
	from    source.Source
	options Options
	before  []replica.Replica // the last sample, for rates

	mu      sync.Mutex // guards what follows
	history history
	latest  State // without readings
}

// New returns a Dashboard that has read nothing.
func New(from source.Source, options Options) *Dashboard {
	return &Dashboard{
		from: from, options: options, history: history{window: Window},
		latest: State{Name: options.Name, IntervalSeconds: options.Interval.Seconds(), WindowSeconds: Window.Seconds()},
	}
}

// Run reads the replicas at each interval, until the context ends.
func (d *Dashboard) Run(ctx context.Context) {
	periodic.Run(ctx, d.options.Clock, d.options.Interval, func() { _ = d.Read(ctx) }) // the state has the error
}

// Read reads the replicas once.
func (d *Dashboard) Read(ctx context.Context) error {
	now, err := d.from.Replicas(ctx, source.Want{Metrics: true, Levels: true, Requests: true, Flows: true})
	if err != nil {
		d.fail(err)
		return err
	}
	levels, err := top.OfLevels(now, d.before, top.Options{})
	if err != nil {
		return err
	}
	flows, err := top.OfFlows(now, top.Options{Limit: d.options.Flows})
	if err != nil {
		return err
	}
	d.before = now
	d.mu.Lock()
	defer d.mu.Unlock()
	d.history.add(d.options.Clock.Now(), &levels)
	d.latest.Levels, d.latest.Flows, d.latest.Error = levels, flows, ""
	return nil
}

func (d *Dashboard) fail(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.latest.Error = err.Error()
}
