package statussync

import "time"

const (
	// writesPerWindow is how often one object may be written in any window.
	writesPerWindow = 6
	window          = time.Minute
)

// budget counts the writes of each object, by name.
type budget map[string]*recentWrites

// recentWrites is a ring of the times of the latest writes.
type recentWrites struct {
	times [writesPerWindow]time.Time
	next  int
}

// wait returns how long to wait before the next write of an object, 0 for none.
func (b budget) wait(name string, now time.Time) time.Duration {
	writes := b[name]
	if writes == nil {
		return 0
	}
	oldest := writes.times[writes.next]
	if age := now.Sub(oldest); !oldest.IsZero() && age <= window {
		return window - age + 1
	}
	return 0
}

// spend counts a write that has ended by now.
func (b budget) spend(name string, now time.Time) {
	writes := b[name]
	if writes == nil {
		writes = &recentWrites{}
		b[name] = writes
	}
	writes.times[writes.next] = now
	writes.next = (writes.next + 1) % writesPerWindow
}

// forget drops what is known of an object that is gone.
func (b budget) forget(name string) { delete(b, name) }
