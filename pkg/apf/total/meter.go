package total

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// fullShare is the least part of a level's seats in use that counts as full.
const fullShare = 0.99

// meter measures what seats are used for between two reports of the levels.
type meter struct {
	levels map[string]usage
}

// usage is what a level did since it exists. Times are in nanoseconds.
type usage struct {
	elapsed uint64  // time
	full    uint64  // time with all seats in use
	waiting uint64  // time with waiting requests
	used    float64 // seats in use, as a part of the limit, times time
}

// load returns the load since the last call on a server with inEffect seats. Levels that did not
// exist then do not count.
func (m *meter) load(reports []engine.LevelReport, inEffect int) Load {
	previous := m.levels
	m.levels = make(map[string]usage, len(reports))
	var load Load
	short := 0
	for i := range reports {
		r := &reports[i]
		load.Needed += needed(r)
		if r.Config.Discipline == queueset.Exempt {
			continue
		}
		now := usageOf(&r.Figures)
		m.levels[r.Config.Name] = now
		before, known := previous[r.Config.Name]
		if !known || now.elapsed <= before.elapsed {
			continue
		}
		elapsed := now.elapsed - before.elapsed
		load.Use += (now.used - before.used) / float64(elapsed) * float64(r.Seats.Current)
		if 2*(now.full-before.full) >= elapsed || 2*(now.waiting-before.waiting) >= elapsed {
			short += r.Seats.Current
		}
	}
	if inEffect > 0 {
		load.Short = float64(short) / float64(inEffect)
	}
	return load
}

// usageOf returns the usage of a level so far.
func usageOf(f *queueset.Figures) usage {
	return usage{
		elapsed: countAbove(&f.SeatShare, -1),
		full:    countAbove(&f.SeatShare, fullShare),
		waiting: countAbove(&f.WaitingShare, 0),
		used:    f.SeatShare.Sum,
	}
}

// countAbove returns the count of the buckets of values above one of the bounds; all if
// least is below them.
func countAbove(d *stats.Distribution, least float64) uint64 {
	sum := uint64(0)
	for i, n := range d.Counts {
		if i == 0 && least < 0 || i > 0 && d.Bounds[i-1] >= least {
			sum += n
		}
	}
	return sum
}

// needed returns the seats that a level must have whatever the total is: all that an
// exempt level uses, which is not limited and subtracted first, and one for each other
// level with shares, catch-all included.
func needed(r *engine.LevelReport) int {
	if r.Config.Discipline == queueset.Exempt {
		return r.Seats.Current
	}
	return min(1, r.Limits.Nominal)
}
