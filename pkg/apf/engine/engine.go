package engine

import (
	"cmp"
	"maps"
	"math/bits"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// Engine is flow control, independent of any server. Create one with New.
type Engine struct {
	clock    clock.Clock
	layout   *stats.Layout
	current  atomic.Pointer[snapshot]
	requests sync.Pool     // of *Request
	shards   atomic.Uint32 // counts the Requests made, to spread them over the shards
	hashes   flow.HashCache

	// mu guards what follows. Of requests, only the last one of a quiescing level
	// takes it.
	mu           sync.Mutex
	total        int
	levels       map[string]*prioritylevel.Level // quiescing ones included
	retired      retirement
	fairFraction float64
}

// New returns an engine for the given number of processors, with the mandatory
// configuration and total seats.
func New(c clock.Clock, processors, total int) *Engine {
	// Twice as many shards as processors, so that two processors rarely share one
	// (BenchmarkUncontendedParallel, BenchmarkCores).
	shards := 1 << bits.Len(uint(2*max(processors, 1)-1))
	e := &Engine{
		clock:   c,
		layout:  stats.NewLayout(min(shards, stats.MaxShards)),
		levels:  map[string]*prioritylevel.Level{},
		retired: retirement{},
	}
	e.requests.New = func() any { return newRequest(e, e.shards.Add(1)) }
	e.total = max(total, 0)
	e.Apply(Configuration{})
	return e
}

// yieldInterval is the number of schemas or levels after which Apply yields its
// processor to requests. The scheduler alone would preempt it every 10 ms
// (BenchmarkApply).
const yieldInterval = 128

// yieldAt yields the processor in the i-th round of a loop, where that is due.
func yieldAt(i int) {
	if i%yieldInterval == yieldInterval-1 {
		runtime.Gosched()
	}
}

// Apply replaces the configuration and returns its invalid objects.
func (e *Engine) Apply(c Configuration) []Problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	configs, problems := chooseLevels(c.Levels, e.lastValid)
	schemas, more := chooseSchemas(c.Schemas, configs)
	problems = append(problems, more...)
	problems = append(problems, e.configure(configs)...)
	e.current.Store(e.newSnapshot(schemas, configs))
	dropped := false
	for _, name := range e.removed(configs) {
		dropped = e.quiesce(name) || dropped
	}
	if dropped {
		e.divide()
	}
	return problems
}

// lastValid returns the configuration that a level has now.
func (e *Engine) lastValid(name string) (prioritylevel.Config, bool) {
	level, ok := e.levels[name]
	if !ok {
		return prioritylevel.Config{}, false
	}
	return level.Config(), true
}

// removed returns the names of the levels that configs lack.
func (e *Engine) removed(configs map[string]prioritylevel.Config) []string {
	var names []string
	for name := range e.levels {
		if _, ok := configs[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// quiesce drops a level, now if it is idle, or when it has drained. It reports
// whether it dropped the level now.
func (e *Engine) quiesce(name string) bool {
	level := e.levels[name]
	level.Quiesce(func() { e.dropDrained(name, level) })
	if !level.Drained() {
		return false
	}
	delete(e.levels, name)
	return true
}

// dropDrained drops a level if it has drained.
func (e *Engine) dropDrained(name string, level *prioritylevel.Level) {
	if !level.Drained() {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.levels[name] == level && level.Drained() {
		delete(e.levels, name)
		e.divide()
	}
}

// configure creates and configures levels by configs. Levels that configs lack only
// get new limits.
func (e *Engine) configure(configs map[string]prioritylevel.Config) []Problem {
	all := make(map[string]prioritylevel.Config, len(configs))
	for name, level := range e.levels {
		all[name] = level.Config()
	}
	maps.Copy(all, configs)
	var problems []Problem
	for i, one := range e.computeLimits(all) {
		yieldAt(i)
		level, desired := e.levels[one.name], configs[one.name]
		var err error
		switch {
		case level == nil:
			if level, err = prioritylevel.New(e.clock, e.layout, desired, one.limits, one.division); err == nil {
				e.levels[one.name] = level
			}
		case desired.Name != "":
			err = level.Configure(desired, one.limits, one.division)
		default:
			level.Divide(one.limits, one.division)
		}
		if err != nil {
			problems = append(problems, Problem{LevelKind, one.name, err})
		}
	}
	return problems
}

// Rebalance ends the demand period of every level and computes the limits again.
func (e *Engine) Rebalance() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, level := range e.levels {
		level.EndPeriod()
	}
	e.retired.forgetIdle()
	e.divide()
}

// divide computes the limits of the present levels and sets them.
func (e *Engine) divide() {
	configs := make(map[string]prioritylevel.Config, len(e.levels))
	for name, level := range e.levels {
		configs[name] = level.Config()
	}
	for _, one := range e.computeLimits(configs) {
		e.levels[one.name].Divide(one.limits, one.division)
	}
}

// levelLimits are the limits of one level.
type levelLimits struct {
	name     string
	limits   allocation.Limits
	division prioritylevel.Division
}

// computeLimits returns the limits of the levels with the given configurations, in
// order of name.
func (e *Engine) computeLimits(configs map[string]prioritylevel.Config) []levelLimits {
	parts := make([]levelLimits, 0, len(configs))
	for name := range configs {
		parts = append(parts, levelLimits{name: name})
	}
	slices.SortFunc(parts, func(a, b levelLimits) int { return cmp.Compare(a.name, b.name) })
	shares := make([]allocation.Share, len(parts))
	for i := range parts {
		shares[i] = configs[parts[i].name].Share
	}
	claims := make([]allocation.Level, len(parts))
	for i, limits := range allocation.Nominal(e.total, shares) {
		parts[i].limits = limits
		if level := e.levels[parts[i].name]; level != nil {
			claims[i] = level.Claim(limits)
			continue
		}
		claims[i] = allocation.Level{Limits: limits, Exempt: configs[parts[i].name].Discipline == queueset.Exempt}
	}
	divided := allocation.Current(e.total, claims)
	e.fairFraction = divided.FairFraction
	for i := range parts {
		parts[i].division = prioritylevel.Division{Current: divided.Current[i], Target: divided.Targets[i], Total: e.total}
	}
	return parts
}
