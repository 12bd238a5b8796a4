package queueset

import "time"

// adoptAll assigns the requests to the queues of their flows that execute in none in a closed Set,
// because it was open, or the level had no queues.
func (l *lockedSet) adoptAll(now time.Duration) {
	if l.config.Discipline != Queue {
		return
	}
	for i := range l.pool.shards {
		sh := l.pool.shards[i].Lock()
		for r := sh.newest; r != nil; r = r.older {
			if r.phase == executing && !l.queue.holds(r) {
				l.queue.adopt(r, now)
			}
		}
		l.pool.shards[i].Unlock(&sh)
	}
}
