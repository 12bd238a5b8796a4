package queueset

import "time"

// adoptAll assigns the requests to queues that execute in none in a closed Set, because
// the level had no queues before. It counts all requests for the cap of a flow, which has
// just been set.
func (l *lockedSet) adoptAll(now time.Duration) {
	for i := range l.pool.shards {
		sh := l.pool.shards[i].Lock()
		for r := sh.newest; r != nil; r = r.older {
			switch r.phase {
			case absent: // it is about to be rejected or seated
			case waiting:
				l.queue.cap.arrive(r)
			case executing:
				l.assign(r, now)
			}
		}
		l.pool.shards[i].Unlock(&sh)
	}
}

// assign assigns r, which executes, to a queue, if the level has queues and r is in none,
// and counts r for the cap of its flow.
func (l *lockedSet) assign(r *Request, now time.Duration) {
	if l.config.Discipline == Queue && !l.queue.holds(r) {
		l.queue.adopt(r, now)
		return
	}
	l.queue.cap.countExecuting(r)
}
