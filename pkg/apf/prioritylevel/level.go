package prioritylevel

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/demand"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// Level is one priority level. Create one with New. It is safe for concurrent
// use.
type Level struct {
	set      *queueset.Set
	maxWidth atomic.Int64 // see MaxWidth

	mu       sync.Mutex // guards what follows
	config   Config
	limits   allocation.Limits
	division Division
	period   demand.Period
	smoothed float64
	quiesces bool
}

// Division is what the division of the server's seats gave a level.
type Division struct {
	Current int     // seats
	Target  float64 // seats it would have if there were enough
	// Total is the size of the server in seats.
	Total int
}

// New returns a level. Its configuration must be valid.
func New(c clock.Clock, layout *stats.Layout, config Config, limits allocation.Limits, d Division) (*Level, error) {
	set, err := queueset.New(c, layout, config.Config, seatLimits(limits, d))
	if err != nil {
		return nil, err
	}
	l := &Level{set: set, config: config, limits: limits, division: d}
	l.maxWidth.Store(int64(config.maxWidth(limits.Nominal)))
	return l, nil
}

func seatLimits(l allocation.Limits, d Division) queueset.Limits {
	denominator := d.Current
	if denominator <= 0 {
		denominator = max(1, int(math.Round(float64(d.Total)/10)))
	}
	return queueset.Limits{Seats: d.Current, Nominal: l.Nominal, Denominator: denominator}
}

// Set seats the requests of the level.
func (l *Level) Set() *queueset.Set { return l.set }

// Config returns the present configuration.
func (l *Level) Config() Config {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.config
}

// Configure replaces the configuration, which must be valid, and the limits.
// A level that was quiescing resumes.
func (l *Level) Configure(config Config, limits allocation.Limits, d Division) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	changed := config.Config != l.config.Config
	if changed {
		if err := l.set.Configure(config.Config, seatLimits(limits, d)); err != nil {
			return err
		}
	}
	l.config = config
	l.divide(limits, d)
	if l.quiesces {
		l.quiesces = false
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
	l.maxWidth.Store(int64(l.config.maxWidth(limits.Nominal)))
	l.set.SetLimits(seatLimits(limits, d))
}

// Quiesce makes drained be called whenever a request of the level has ended
// and the level may be idle, until it is configured again.
func (l *Level) Quiesce(drained func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.quiesces {
		l.quiesces = true
		l.set.OnIdle(drained)
	}
}

// Drained reports whether the level quiesces and has no request left.
func (l *Level) Drained() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quiesces && l.set.Idle()
}

// EndPeriod closes a period of the statistics of demand and smooths.
func (l *Level) EndPeriod() {
	period := l.set.ResetDemand()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.period = period
	l.smoothed = demand.Smooth(l.smoothed, period)
}

// Claim returns what the division of seats needs to know of the level when its
// limits are the given ones.
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

// Capacity returns how many requests may wait in the queues of the level, and its
// nominal limit in seats.
func (l *Level) Capacity() (waiting float64, seats int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.config.WaitingCapacity(), l.limits.Nominal
}

// Report is the state of a level at one moment.
type Report struct {
	Config   Config
	Limits   allocation.Limits
	Division Division
	// Period is the last complete period of demand, Smoothed what is made of
	// all of them, in seats.
	Period   demand.Period
	Smoothed float64
	// MaxWidth bounds the estimates of requests in seats; 0 is no bound.
	MaxWidth  int
	Quiescing bool
	Figures   queueset.Figures
}

// Report returns the state of the moment.
func (l *Level) Report() Report {
	l.mu.Lock()
	defer l.mu.Unlock()
	return Report{
		Config: l.config, Limits: l.limits, Division: l.division,
		Period: l.period, Smoothed: l.smoothed,
		MaxWidth:  l.MaxWidth(),
		Quiescing: l.quiesces,
		Figures:   l.set.Figures(),
	}
}

// MaxWidth returns the most seats that the estimate of one request should
// take, 0 if nothing bounds it. It takes no lock.
func (l *Level) MaxWidth() int { return int(l.maxWidth.Load()) }
