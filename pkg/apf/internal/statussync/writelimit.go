package statussync

import "time"

const (
	// writesPerWindow is the number of writes of one object allowed in any window.
	writesPerWindow = 6
	window          = time.Minute
)

// writeLimiter limits the writes of each object. It has the times of the latest ones by the name of the
// object, the oldest first.
type writeLimiter map[string][]time.Time

// wait returns how long to wait before the next write of an object.
func (l writeLimiter) wait(name string, now time.Time) time.Duration {
	writes := l[name]
	if len(writes) < writesPerWindow {
		return 0
	}
	return max(0, window-now.Sub(writes[0])+1)
}

// record counts a write that ended at the latest now.
func (l writeLimiter) record(name string, now time.Time) {
	writes := l[name]
	l[name] = append(writes[max(0, len(writes)+1-writesPerWindow):], now)
}
