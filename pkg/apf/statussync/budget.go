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

// spend allows a write and counts it, or returns how long to wait for one.
func (b budget) spend(name string, now time.Time) (wait time.Duration) {
	writes := b[name]
	if writes == nil {
		writes = &recentWrites{}
		b[name] = writes
	}
	oldest := &writes.times[writes.next]
	if age := now.Sub(*oldest); !oldest.IsZero() && age <= window {
		return window - age + 1
	}
	*oldest = now
	writes.next = (writes.next + 1) % writesPerWindow
	return 0
}

// forget drops what is known of an object that is gone.
func (b budget) forget(name string) { delete(b, name) }
