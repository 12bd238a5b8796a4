package prioritylevel

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/demand"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/rejections"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Level is one priority level. It is safe for concurrent use. Create one with New.
type Level struct {
	set        *queueset.Set
	maxWidth   atomic.Int64 // see MaxWidth
	rejections rejections.Log

	mu        sync.Mutex // guards what follows
	config    Config
	limits    allocation.Limits
	division  Division
	period    demand.Period
	smoothed  float64
	quiescing bool
}

// Division is the part of the seats of the server that a level has.
type Division struct {
	Current int     // current limit, in seats
	Target  float64 // seats that it would have if there were enough
	Total   int     // seats of the server
}

// New returns a level. Its configuration must be valid.
func New(c clock.Clock, layout *stats.Layout, config Config, limits allocation.Limits, d Division) (*Level, error) {
	set, err := queueset.New(c, layout, config.Config, seatLimits(d))
	if err != nil {
		return nil, err
	}
	l := &Level{set: set, config: config, limits: limits, division: d}
	l.maxWidth.Store(int64(config.MaxWidth(limits.Nominal)))
	return l, nil
}

// seatLimits returns the limits of the queue set. With a current limit of 0, seat
// utilization and demand are relative to a tenth of the server, as in k8s.io/apiserver.
func seatLimits(d Division) queueset.Limits {
	denominator := d.Current
	if denominator <= 0 {
		denominator = max(1, int(math.Round(float64(d.Total)/10)))
	}
	return queueset.Limits{Seats: d.Current, Denominator: denominator}
}

// Set returns the queue set.
func (l *Level) Set() *queueset.Set { return l.set }

// Rejections returns the memory of the last rejections.
func (l *Level) Rejections() *rejections.Log { return &l.rejections }

// Config returns the configuration.
func (l *Level) Config() Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.config
}

// Configure replaces the configuration, which must be valid, and the limits. A
// quiescing level resumes.
func (l *Level) Configure(config Config, limits allocation.Limits, d Division) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := config.Config != l.config.Config
	if changed {
		if err := l.set.Configure(config.Config, seatLimits(d)); err != nil {
			return err
		}
	}
	l.config = config
	l.divide(limits, d)
	if l.quiescing {
		l.quiescing = false
		l.set.OnIdle(nil)
	}
	return nil
}

// Divide replaces the limits.
func (l *Level) Divide(limits allocation.Limits, d Division) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.divide(limits, d)
}

func (l *Level) divide(limits allocation.Limits, d Division) {
	l.limits, l.division = limits, d
	l.maxWidth.Store(int64(l.config.MaxWidth(limits.Nominal)))
	l.set.SetLimits(seatLimits(d))
}

// Quiesce registers drained, called whenever a request has ended and the level may
// be idle, until Configure.
func (l *Level) Quiesce(drained func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.quiescing {
		l.quiescing = true
		l.set.OnIdle(drained)
	}
}

// Quiescing reports whether the level quiesces.
func (l *Level) Quiescing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quiescing
}

// Drained reports whether the level quiesces and has no requests.
func (l *Level) Drained() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quiescing && l.set.Idle()
}

// EndPeriod ends the demand period and updates the smoothed demand.
func (l *Level) EndPeriod() {
	period := l.set.ResetDemand()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.period = period
	l.smoothed = demand.Smooth(l.smoothed, period)
}

// Claim returns the limits together with the demand, from which package allocation
// computes the current limit.
func (l *Level) Claim(limits allocation.Limits) allocation.Level {
	l.mu.Lock()
	defer l.mu.Unlock()
	return allocation.Level{
		Limits:        limits,
		Exempt:        l.config.Discipline == queueset.Exempt,
		HighWatermark: l.period.HighWatermark,
		Smoothed:      l.smoothed,
	}
}

// Report is the state of a level.
type Report struct {
	Config   Config
	Limits   allocation.Limits
	Division Division
	// Period is the last complete demand period.
	Period demand.Period
	// Smoothed is the smoothed demand in seats.
	Smoothed float64
	// MaxWidth is the largest work estimate in seats; 0 means no bound.
	MaxWidth  int
	Quiescing bool
	Figures   queueset.Figures
}

// Report returns the present state.
func (l *Level) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Report{
		Config: l.config, Limits: l.limits, Division: l.division,
		Period: l.period, Smoothed: l.smoothed,
		MaxWidth:  l.MaxWidth(),
		Quiescing: l.quiescing,
		Figures:   l.set.Figures(),
	}
}

// MaxWidth returns the largest work estimate of one request, in seats; 0 if there is
// no bound. It takes no lock.
func (l *Level) MaxWidth() int { return int(l.maxWidth.Load()) }
