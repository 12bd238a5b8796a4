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
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/prioritylevel"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// Engine is flow control without a server. Create one with New.
type Engine struct {
	clock   clock.Clock
	layout  *stats.Layout
	current atomic.Pointer[snapshot]
	tickets sync.Pool // of *Ticket
	shards  atomic.Uint32

	// mu guards what follows. No request takes it, but the last one of a level
	// that quiesces.
	mu           sync.Mutex
	total        int
	levels       map[string]*prioritylevel.Level // with those that quiesce
	fairFraction float64
}

// New returns an engine for the given number of processors, with the built-in
// configuration on a server of total seats.
func New(c clock.Clock, processors, total int) *Engine {
	// Twice as many shards as processors, so that two of them seldom meet.
	shards := 1 << bits.Len(uint(2*max(processors, 1)-1))
	e := &Engine{
		clock:  c,
		layout: stats.NewLayout(min(shards, stats.MaxShards)),
		levels: map[string]*prioritylevel.Level{},
	}
	e.tickets.New = func() any { return newTicket(e, e.shards.Add(1)) }
	e.Apply(Configuration{Total: total})
	return e
}

// breath is the number of schemas or levels after which applying a configuration
// lets requests run that wait for the same processor. Of its own accord the
// scheduler would do so every 10 ms.
const breath = 128

func breathe(i int) {
	if i%breath == breath-1 {
		runtime.Gosched()
	}
}

// Apply replaces the configuration. It returns what was wrong with it.
func (e *Engine) Apply(c Configuration) []Problem {
	e.mu.Lock()
	defer e.mu.Unlock()
	configs, problems := chooseLevels(c.Levels, e.lastGood)
	schemas, more := chooseSchemas(c.Schemas, configs)
	problems = append(problems, more...)
	e.total = c.Total
	problems = append(problems, e.configure(configs)...)
	e.current.Store(newSnapshot(e.layout, schemas, e.levels, configs, e.current.Load()))
	gone := false
	for _, name := range e.undesired(configs) {
		gone = e.quiesce(name) || gone
	}
	if gone {
		e.divide()
	}
	return problems
}

func (e *Engine) lastGood(name string) (prioritylevel.Config, bool) {
	level, ok := e.levels[name]
	if !ok {
		return prioritylevel.Config{}, false
	}
	return level.Config(), true
}

// undesired returns the names of the levels without configuration.
func (e *Engine) undesired(configs map[string]prioritylevel.Config) []string {
	var names []string
	for name := range e.levels {
		if _, ok := configs[name]; !ok {
			names = append(names, name)
		}
	}
	return names
}

// quiesce makes a level go when it has drained. It reports whether it went at
// once.
func (e *Engine) quiesce(name string) bool {
	level := e.levels[name]
	level.Quiesce(func() { e.reap(name, level) })
	if !level.Drained() {
		return false
	}
	delete(e.levels, name)
	return true
}

// reap drops a level if it has drained.
func (e *Engine) reap(name string, level *prioritylevel.Level) {
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

// configure makes the levels be what configs say. Levels without
// configuration keep what they have.
func (e *Engine) configure(configs map[string]prioritylevel.Config) []Problem {
	all := make(map[string]prioritylevel.Config, len(configs))
	for name, level := range e.levels {
		all[name] = level.Config()
	}
	maps.Copy(all, configs)
	var problems []Problem
	for i, one := range e.division(all) {
		breathe(i)
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

// Rebalance ends a period of demand on every level and divides the seats anew.
func (e *Engine) Rebalance() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, level := range e.levels {
		level.EndPeriod()
	}
	e.divide()
}

// divide divides the seats among the levels there are.
func (e *Engine) divide() {
	configs := make(map[string]prioritylevel.Config, len(e.levels))
	for name, level := range e.levels {
		configs[name] = level.Config()
	}
	for _, one := range e.division(configs) {
		e.levels[one.name].Divide(one.limits, one.division)
	}
}

// part is what one level gets.
type part struct {
	name     string
	limits   allocation.Limits
	division prioritylevel.Division
}

// division divides the seats among the given levels, by name.
func (e *Engine) division(configs map[string]prioritylevel.Config) []part {
	parts := make([]part, 0, len(configs))
	for name := range configs {
		parts = append(parts, part{name: name})
	}
	slices.SortFunc(parts, func(a, b part) int { return cmp.Compare(a.name, b.name) })
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
