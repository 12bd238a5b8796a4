package engine

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Engine is flow control, independent of any server. Create one with New.
type Engine struct {
	clock    clock.Clock
	observer Observer
	layout   *stats.Layout
	tenants  rules.Tenants
	current  atomic.Pointer[snapshot]
	requests sync.Pool // of *Request
	hashes   flow.HashCache

	total atomic.Int64 // changes while mu is held

	// mu guards what follows. Of requests, only the last one of a quiescing level
	// takes it.
	mu           sync.Mutex
	levels       map[string]*level // quiescing ones included
	retired      retirement
	fairFraction float64
	decided      []queueset.Decisions // told by unlock
}

// unlock unlocks mu, and then tells requests what was decided. So they may use the Engine.
func (e *Engine) unlock() {
	decided := e.decided
	e.decided = nil
	e.mu.Unlock()
	for _, d := range decided {
		d.Tell()
	}
}

// tellLater makes unlock tell the requests.
func (e *Engine) tellLater(d queueset.Decisions) {
	if !d.None() {
		e.decided = append(e.decided, d)
	}
}

// New returns an Engine with the mandatory configuration.
func New(options Options) *Engine {
	options = options.complete()
	e := &Engine{
		clock:    options.Clock,
		observer: options.Observer,
		layout:   stats.NewLayout(),
		tenants:  options.Tenants,
		levels:   map[string]*level{},
		retired:  retirement{},
	}
	e.total.Store(int64(options.Total))
	e.requests.New = func() any { return &Request{engine: e} }
	e.current.Store(&snapshot{classifier: classify.New(nil)})
	e.Apply(Configuration{})
	return e
}

// yieldInterval is how many schemas or levels Apply handles between yields of its
// processor to requests. The scheduler alone would preempt it every 10 ms
// (BenchmarkApply).
const yieldInterval = 128

// yieldAt yields the processor in the i-th round of a loop, where that is due.
func yieldAt(i int) {
	if i%yieldInterval == yieldInterval-1 {
		runtime.Gosched()
	}
}

// settle drops the levels that configs lack.
func (e *Engine) settle(configs map[string]LevelConfig) {
	dropped := false
	for name, level := range e.levels {
		if _, ok := configs[name]; !ok {
			dropped = e.quiesce(name, level) || dropped
		}
	}
	if dropped {
		e.configure(nil)
	}
}

// quiesce drops a level, now if it is idle, or when it has drained. It reports
// whether it dropped the level now.
func (e *Engine) quiesce(name string, level *level) bool {
	quiesced := level.isQuiescing()
	level.quiesce(func() { e.dropDrained(name, level) })
	if level.drained() {
		e.drop(level)
		return true
	}
	if !quiesced {
		e.observer.LevelChanged(level.configuration(), Quiescing)
	}
	return false
}

// drop drops a level.
func (e *Engine) drop(level *level) {
	config := level.configuration()
	delete(e.levels, config.Name)
	e.observer.LevelChanged(config, Removed)
}

// dropDrained drops a level if it has drained.
func (e *Engine) dropDrained(name string, level *level) {
	if !level.drained() {
		return
	}
	e.mu.Lock()
	defer e.unlock()
	if e.levels[name] == level && level.drained() {
		e.drop(level)
		e.configure(nil)
	}
}

// configure creates and configures levels by configs, and divides the seats. Levels that configs lack
// only get new limits.
func (e *Engine) configure(configs map[string]LevelConfig) []Problem {
	all := make(map[string]LevelConfig, len(configs))
	for name, level := range e.levels {
		all[name] = level.configuration()
	}
	maps.Copy(all, configs)
	divided := e.computeLimits(all)
	var problems []Problem
	for i := range divided {
		yieldAt(i)
		part := &divided[i]
		if desired := configs[part.Config.Name]; desired.Name == "" {
			e.tellLater(e.levels[part.Config.Name].divide(part.Claim.Limits, part.Seats))
		} else if err := e.configureLevel(desired, part); err != nil {
			problems = append(problems, Problem{LevelKind, desired.Name, err})
		}
	}
	e.observer.Divided(Division{Total: e.Total(), FairFraction: e.fairFraction, Levels: divided})
	return problems
}

// configureLevel creates or configures one level.
func (e *Engine) configureLevel(desired LevelConfig, part *LevelDivision) error {
	level := e.levels[desired.Name]
	if level == nil {
		level, err := newLevel(e.clock, desired, part.Claim.Limits, part.Seats)
		if err != nil {
			return err
		}
		e.levels[desired.Name] = level
		e.observer.LevelChanged(desired, Added)
		return nil
	}
	change := changeOf(level, desired)
	decided, err := level.configure(desired, part.Claim.Limits, part.Seats)
	if err != nil {
		return err
	}
	e.tellLater(decided)
	e.observer.LevelChanged(desired, change)
	return nil
}

// changeOf returns what the desired configuration changes of a level.
func changeOf(level *level, desired LevelConfig) LevelChange {
	switch {
	case level.isQuiescing():
		return Resumed
	case level.configuration().Config != desired.Config:
		return Reconfigured
	default:
		return Retained
	}
}

// Rebalance ends the demand period of every level and computes the limits again.
func (e *Engine) Rebalance() {
	e.mu.Lock()
	defer e.unlock()
	for _, level := range e.levels {
		level.endPeriod()
	}
	e.retired.forgetIdle()
	e.configure(nil)
}

// computeLimits divides the seats among levels with the given configurations, and
// returns their parts in order of name.
func (e *Engine) computeLimits(configs map[string]LevelConfig) []LevelDivision {
	parts := make([]LevelDivision, 0, len(configs))
	for _, config := range configs {
		parts = append(parts, LevelDivision{Config: config})
	}
	slices.SortFunc(parts, func(a, b LevelDivision) int { return cmp.Compare(a.Config.Name, b.Config.Name) })
	shares := make([]allocation.Share, len(parts))
	for i := range parts {
		shares[i] = parts[i].Config.Share
	}
	claims := make([]allocation.Level, len(parts))
	total := e.Total()
	for i, limits := range allocation.Nominal(total, shares) {
		config := &parts[i].Config
		if level := e.levels[config.Name]; level != nil {
			claims[i] = level.claim(limits)
			continue
		}
		claims[i] = allocation.Level{Limits: limits, Exempt: config.Discipline == queueset.Exempt}
	}
	divided := allocation.Current(total, claims)
	e.fairFraction = divided.FairFraction
	for i := range parts {
		parts[i].Claim = claims[i]
		parts[i].Seats = LevelSeats{Current: divided.Current[i], Target: divided.Targets[i], Total: total}
	}
	return parts
}
