package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// adoptAll assigns the requests to the queues of their flows that execute in none in a closed Set,
// because it was open, or the level had no queues.
func (l *lockedSet) adoptAll(now time.Duration) {
	if l.config.Discipline != Queue {
		return
	}
	first := l.queue.executions.seen == 0
	for i := range l.pool.shards {
		sh := l.pool.shards[i].Lock()
		for r := sh.newest; r != nil; r = r.older {
			if r.phase == executing && !l.queue.holds(r) {
				if first { // at any time a request has on average executed for half of what it will, or more
					l.queue.executions.observe(2*(now-r.started), 2*seats.AreaOf(r.held, now-r.started))
				}
				l.queue.adopt(r, now)
			}
		}
		l.pool.shards[i].Unlock(&sh)
	}
}
