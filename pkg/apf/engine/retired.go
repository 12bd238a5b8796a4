package engine

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"

// seriesKey identifies a Series by its labels.
type seriesKey struct{ level, schema string }

// retirement holds the Series of flow schemas that were deleted or moved to another
// level. Requests that were classified before count there until they end. No Series has
// the labels of one in the current snapshot, so that no metric has two values.
type retirement map[seriesKey]*retiredSeries

type retiredSeries struct {
	series *stats.Series
	idle   int // how many calls of forgetIdle in a row found it idle
}

// add adds a Series.
func (r retirement) add(s *stats.Series) {
	r[seriesKey{s.Level, s.Schema}] = &retiredSeries{series: s}
}

// revive removes the Series with the given labels and returns it, nil without one.
func (r retirement) revive(level, schema string) *stats.Series {
	key := seriesKey{level, schema}
	former, ok := r[key]
	if !ok {
		return nil
	}
	delete(r, key)
	return former.series
}

// forgetIdle removes the Series that are idle for the second time. At the first time,
// requests that have just been classified may not have arrived.
func (r retirement) forgetIdle() {
	for key, former := range r {
		former.idle++
		if former.series.Busy() {
			former.idle = 0
		}
		if former.idle >= 2 {
			delete(r, key)
		}
	}
}

// busy returns the Series whose requests are under way, in any order.
func (r retirement) busy() []*stats.Series {
	var out []*stats.Series
	for _, former := range r {
		if former.series.Busy() {
			out = append(out, former.series)
		}
	}
	return out
}
