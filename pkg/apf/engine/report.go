package engine

import (
	"maps"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Report is the state of the engine. Levels are read one at a time, each under
// its own lock.
type Report struct {
	Levels []LevelReport // by name
	// Series are the figures of the flow schemas that have had a request, in matching order. Then
	// come flow schemas that were deleted or moved to another level, while requests are under way.
	Series []SeriesReport
	// FairFraction is f of package allocation.
	FairFraction float64
}

// SeriesReport has the figures of one flow schema on one level.
type SeriesReport = stats.Snapshot

// Report returns the present state.
func (e *Engine) Report() Report {
	e.mu.Lock()
	out := Report{FairFraction: e.fairFraction}
	e.mu.Unlock()
	out.Levels = e.Levels()
	for _, one := range e.usedSeries() {
		out.Series = append(out.Series, one.Snapshot())
	}
	return out
}

// usedSeries returns the Series whose figures a Report has. No two have the same labels.
func (e *Engine) usedSeries() []*stats.Series {
	e.mu.Lock()
	defer e.mu.Unlock()
	var used []*stats.Series
	entries := e.current.Load().entries
	for _, c := range entries {
		if one := c.series; one.Used() {
			used = append(used, one)
		}
	}
	return append(used, e.retired.busy()...)
}

// allLevels returns the levels by name.
func (e *Engine) allLevels() []*level {
	e.mu.Lock()
	defer e.mu.Unlock()
	levels := make([]*level, 0, len(e.levels))
	for _, name := range slices.Sorted(maps.Keys(e.levels)) {
		levels = append(levels, e.levels[name])
	}
	return levels
}

// ofEach returns what f returns for each level, by name.
func ofEach[T any](e *Engine, f func(*level) T) []T {
	levels := e.allLevels()
	out := make([]T, len(levels))
	for i, level := range levels {
		out[i] = f(level)
	}
	return out
}

// Schemas returns the flow schemas in effect, in matching order. The caller must not
// change them.
func (e *Engine) Schemas() []*rules.Schema { return e.current.Load().classifier.Schemas() }

// LevelDump is the state of one level with all its requests.
type LevelDump struct {
	Report LevelReport
	queueset.Dump
}

// Dump returns the levels by name, with all their requests.
func (e *Engine) Dump() []LevelDump {
	return ofEach(e, func(l *level) LevelDump { return LevelDump{Report: l.report(), Dump: l.set.Dump()} })
}

// Wall converts a time of the engine's clock to calendar time.
func (e *Engine) Wall(sinceOrigin time.Duration) time.Time { return e.clock.Wall(sinceOrigin) }

// MaxWidth returns the largest work estimate of one request on the named level, in
// seats; 0 if there is no such level or no bound. It takes no lock.
func (e *Engine) MaxWidth(level string) int {
	if found := e.current.Load().levels[level]; found != nil {
		return found.widest()
	}
	return 0
}

// AfterFunc calls f after d, by the clock of the engine.
func (e *Engine) AfterFunc(d time.Duration, f func()) clock.Timer { return e.clock.AfterFunc(d, f) }

// Now returns the time of the engine's clock.
func (e *Engine) Now() time.Duration { return e.clock.Now() }

// Levels returns the present state of the levels, by name, as Report does.
func (e *Engine) Levels() []LevelReport { return ofEach(e, (*level).report) }
