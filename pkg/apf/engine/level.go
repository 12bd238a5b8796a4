package engine

import (
	"math"
	"sync"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/rejections"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// level is one priority level. It is safe for concurrent use. Create one with newLevel.
type level struct {
	set        *queueset.Set
	maxWidth   atomic.Int64 // see widest
	rejections rejections.Log

	mu        sync.Mutex // guards what follows
	config    LevelConfig
	limits    allocation.Limits
	seats     LevelSeats
	period    allocation.DemandPeriod
	smoothed  float64
	quiescing bool
}

// LevelSeats is the part of the seats of the server that a level has.
type LevelSeats struct {
	Current int     // current limit, in seats
	Target  float64 // seats that it would have if there were enough
	Total   int     // seats of the server
}

// newLevel returns a level. Its configuration must be valid.
func newLevel(c clock.Clock, config LevelConfig, limits allocation.Limits, d LevelSeats) (*level, error) {
	set, err := queueset.New(c, config.Config, seatLimits(d))
	if err != nil {
		return nil, err
	}
	l := &level{set: set, config: config, limits: limits, seats: d}
	l.maxWidth.Store(int64(config.MaxWidth(limits.Nominal)))
	return l, nil
}

// seatLimits returns the limits of the queue set. With a current limit of 0, seat
// utilization and demand are relative to a tenth of the server, as in k8s.io/apiserver.
func seatLimits(d LevelSeats) queueset.Limits {
	denominator := d.Current
	if denominator <= 0 {
		denominator = max(1, int(math.Round(float64(d.Total)/10)))
	}
	return queueset.Limits{Seats: d.Current, Denominator: denominator}
}

// LevelConfig returns the configuration.
func (l *level) configuration() LevelConfig {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.config
}

// configure replaces the configuration, which must be valid, and the limits. A
// quiescing level resumes. The caller tells the requests.
func (l *level) configure(config LevelConfig, limits allocation.Limits, d LevelSeats) (decided queueset.Decisions, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if config.Config != l.config.Config {
		decided, err = l.set.Configure(config.Config, seatLimits(d))
	} else {
		decided = l.set.SetLimits(seatLimits(d))
	}
	if err != nil {
		return decided, err
	}
	l.config = config
	l.note(limits, d)
	if l.quiescing {
		l.quiescing = false
		l.set.OnIdle(nil)
	}
	return decided, nil
}

// divide replaces the limits. The caller tells the requests.
func (l *level) divide(limits allocation.Limits, d LevelSeats) queueset.Decisions {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.note(limits, d)
	return l.set.SetLimits(seatLimits(d))
}

// note notes the limits that the queue set has.
func (l *level) note(limits allocation.Limits, d LevelSeats) {
	l.limits, l.seats = limits, d
	l.maxWidth.Store(int64(l.config.MaxWidth(limits.Nominal)))
}

// quiesce registers drained, called whenever a request has ended and the level may
// be idle, until configure.
func (l *level) quiesce(drained func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.quiescing {
		l.quiescing = true
		l.set.OnIdle(drained)
	}
}

// isQuiescing reports whether the level quiesces.
func (l *level) isQuiescing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quiescing
}

// drained reports whether the level quiesces and has no requests.
func (l *level) drained() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.quiescing && l.set.Idle()
}

// endPeriod ends the demand period and updates the smoothed demand.
func (l *level) endPeriod() {
	period := l.set.ResetDemand()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.period = period
	l.smoothed = allocation.SmoothDemand(l.smoothed, period)
}

// claim returns the limits and the demand: package allocation computes the current limit from them.
func (l *level) claim(limits allocation.Limits) allocation.Level {
	l.mu.Lock()
	defer l.mu.Unlock()
	return allocation.Level{
		Limits:        limits,
		Exempt:        l.config.Discipline == queueset.Exempt,
		HighWatermark: l.period.HighWatermark,
		Smoothed:      l.smoothed,
	}
}

// LevelReport is the state of a level.
type LevelReport struct {
	Config LevelConfig
	Limits allocation.Limits
	Seats  LevelSeats
	// Period is the last complete demand period.
	Period allocation.DemandPeriod
	// Smoothed is the smoothed demand in seats.
	Smoothed float64
	// MaxWidth is the largest work estimate in seats; 0 means no bound.
	MaxWidth  int
	Quiescing bool
	Figures   queueset.Figures
}

// report returns the present state.
func (l *level) report() LevelReport {
	l.mu.Lock()
	defer l.mu.Unlock()
	return LevelReport{
		Config: l.config, Limits: l.limits, Seats: l.seats,
		Period: l.period, Smoothed: l.smoothed,
		MaxWidth:  l.widest(),
		Quiescing: l.quiescing,
		Figures:   l.set.Figures(),
	}
}

// widest returns the largest work estimate of one request, in seats; 0 if there is no
// bound. It takes no lock.
func (l *level) widest() int { return int(l.maxWidth.Load()) }
