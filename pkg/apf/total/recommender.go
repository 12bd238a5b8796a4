package total

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"sync"
	"time"

	"github.com/go-logr/logr"
	utilclock "k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/periodic"
)

const (
	// SamplePeriod is the time between two samples of the machine.
	SamplePeriod = time.Second
	// loggedChange is the change since the last logged recommendation that is logged.
	loggedChange = 0.10
)

// Sampler takes samples of the machine.
type Sampler interface {
	// Sample returns the signals now, or since the last call.
	Sample() Sample
}

// Engine has the total.
type Engine interface {
	Levels() []engine.LevelReport
	Total() int
	SetTotal(seats int)
}

var (
	_ Sampler = (*Machine)(nil)
	_ Engine  = (*engine.Engine)(nil)
)

// Config configures a Recommender. Its mode is not Static.
type Config struct {
	Engine  Engine
	Sampler Sampler
	Options Options
	Clock   utilclock.WithTicker
	Logger  logr.Logger
}

// Recommender recommends the total of one engine. Create one with New.
type Recommender struct {
	config     Config
	origin     time.Time
	controller *Controller
	meter      meter
	samples    []Sample // since the last step
	logged     int      // the total that was logged last
	// missing are the signals that were logged as unknown.
	missing [SignalCount]bool

	mu     sync.Mutex // guards what follows
	status Status
}

// New returns a Recommender that starts at the present total of the engine, the static
// total. Run runs it.
func New(config Config) (*Recommender, error) {
	static := config.Engine.Total()
	if static < 1 {
		return nil, fmt.Errorf("the total is %d seats: must be at least 1", static)
	}
	if errs := config.Options.Validate(static); len(errs) > 0 {
		return nil, errs[0]
	}
	r := &Recommender{config: config, origin: config.Clock.Now(), logged: static}
	r.controller = NewController(static, config.Options, 0)
	r.status = Status{
		Active:         true,
		Recommendation: Recommendation{Total: static},
		Steps:          map[Reason]uint64{},
	}
	for signal := range r.status.Recommendation.Pressure {
		r.status.Recommendation.Pressure[signal] = math.NaN()
	}
	return r, nil
}

// Run recommends until the context ends.
func (r *Recommender) Run(ctx context.Context) {
	r.meter.load(r.config.Engine.Levels(), 0)
	r.config.Sampler.Sample() // of the time before
	periodic.Run(ctx, r.config.Clock, SamplePeriod, func() {
		r.samples = append(r.samples, r.config.Sampler.Sample())
		if now := r.config.Clock.Since(r.origin); r.controller.Due(now) {
			r.step(now)
		}
	})
}

// step recommends a total by the samples and the load since the last step.
func (r *Recommender) step(now time.Duration) {
	inEffect := r.config.Engine.Total()
	load := r.meter.load(r.config.Engine.Levels(), inEffect)
	recommended := r.controller.Step(now, r.samples, load)
	r.logMissing()
	r.samples = r.samples[:0]
	r.publish(recommended)
	r.logChange(recommended, inEffect)
	if r.config.Options.Mode == Adaptive && recommended.Total != inEffect {
		r.config.Engine.SetTotal(recommended.Total)
	}
}

func (r *Recommender) publish(recommended Recommendation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.status.Recommendation = recommended
	for _, reason := range recommended.Reasons {
		r.status.Steps[reason]++
	}
}

// Status returns the present state. It is safe for concurrent use.
func (r *Recommender) Status() Status {
	inEffect := r.config.Engine.Total()
	r.mu.Lock()
	defer r.mu.Unlock()
	status := r.status
	status.InEffect = inEffect
	status.Steps = maps.Clone(status.Steps)
	return status
}

// logChange logs a recommendation that differs enough from the last one logged.
func (r *Recommender) logChange(recommended Recommendation, inEffect int) {
	if math.Abs(float64(recommended.Total-r.logged)) < loggedChange*float64(r.logged) {
		return
	}
	details := []any{
		"recommended", recommended.Total, "previous", r.logged, "inEffect", inEffect,
		"mode", r.config.Options.Mode, "reasons", recommended.Reasons,
	}
	for signal, pressure := range recommended.Pressure {
		if !math.IsNaN(pressure) {
			details = append(details, Signal(signal).String(), pressure)
		}
	}
	r.config.Logger.Info("Recommended total of seats changed", details...)
	r.logged = recommended.Total
}

// logMissing logs each signal that became unknown, once until it was known in all
// samples of a step.
func (r *Recommender) logMissing() {
	for signal := range SignalCount {
		var problem error
		for i := range r.samples {
			if _, err := r.samples[i].Value(signal); err != nil && !errors.Is(err, ErrQuiet) {
				problem = err
			}
		}
		if problem != nil && !r.missing[signal] {
			r.config.Logger.Info("Signal of the machine is unknown; the total does not follow it", "signal", signal, "reason", problem.Error())
		}
		r.missing[signal] = problem != nil
	}
}
