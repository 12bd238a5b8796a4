package statussync

import "time"

const (
	// writesPerWindow is the number of writes of one object allowed in any window.
	writesPerWindow = 6
	window          = time.Minute
)

// writeLimiter limits the writes of each object, by name.
type writeLimiter map[string]*recentWrites

// recentWrites is a ring of the times of the latest writes.
type recentWrites struct {
	times [writesPerWindow]time.Time
	next  int
}

// wait returns how long to wait before the next write of an object.
func (l writeLimiter) wait(name string, now time.Time) time.Duration {
	writes := l[name]
	if writes == nil {
		return 0
	}
	oldest := writes.times[writes.next]
	if age := now.Sub(oldest); !oldest.IsZero() && age <= window {
		return window - age + 1
	}
	return 0
}

// record counts a write that ended at the latest now.
func (l writeLimiter) record(name string, now time.Time) {
	writes := l[name]
	if writes == nil {
		writes = &recentWrites{}
		l[name] = writes
	}
	writes.times[writes.next] = now
	writes.next = (writes.next + 1) % writesPerWindow
}

// forget drops the writes of an object that was deleted.
func (l writeLimiter) forget(name string) { delete(l, name) }
