package queueset

import "time"

// merge integrates the changes noted up to a time, and counts the use of seats noted so
// far. Changes of shards are complete only up to a time read before merge began.
func (l *lockedSet) merge(until time.Duration) {
	for i := range l.pool.shards {
		l.collect(i)
	}
	l.integrate(until)
}

// collect collects what shard i has noted.
func (l *lockedSet) collect(i int) {
	sh := l.pool.shards[i].Lock()
	l.occupied.collect(i, &sh.changes)
	l.flows.collect(i, &sh.used)
	l.pool.shards[i].Unlock(&sh)
}

// integrate integrates what was collected, and what was noted under the lock of the Set.
func (l *lockedSet) integrate(until time.Duration) {
	l.flows.collect(len(l.pool.shards), &l.used)
	l.occupied.mergeRuns(&l.changes, until)
	l.flows.mergeRuns()
}

func (l *lockedSet) note(c change) {
	l.changes.add(c)
	l.mergeIfFull()
}

// noteDispatch notes that a request starts that waited. That is often at the
// moment of the change before, since one request wakes the next when it ends.
func (l *lockedSet) noteDispatch(c change) {
	l.changes.join(c)
	l.mergeIfFull()
}

func (l *lockedSet) mergeIfFull() {
	if l.changes.full() {
		l.merge(l.clock.Now())
	}
}
