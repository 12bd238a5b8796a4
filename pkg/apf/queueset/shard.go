package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/guarded"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// shard is a part of a pool with a lock of its own.
type shard = guarded.Value[lockedShard]

// lockedShard is what the lock of a shard guards: free seats while the pool is open,
// and in either regime the requests that arrived through the shard and have not
// ended.
type lockedShard struct {
	open      bool
	startKind stats.StartKind
	free      int      // seats lent to this shard
	started   uint64   // requests seated here
	newest    *Request // first in the list of requests, which continues along older
	changes   seatChanges
	used      heavyhitters.Batch
	cursor    *Request    // in the list of requests: the next one that a dump copies
	final     finalPhases // of requests that ended while the pool was open

	_ [64]byte // the next shard begins on another cache line: BenchmarkCores
}

// link adds r, which is in no queue, to the list of requests.
func (sh *lockedShard) link(r *Request) {
	r.queue = nil
	r.older, r.newer = sh.newest, nil
	if sh.newest != nil {
		sh.newest.newer = r
	}
	sh.newest = r
}

// has reports whether r is in the list of requests.
func (sh *lockedShard) has(r *Request) bool { return r.newer != nil || sh.newest == r }

// unlink removes r from the list of requests.
func (sh *lockedShard) unlink(r *Request) {
	if sh.cursor == r {
		sh.cursor = r.older
	}
	if r.newer == nil {
		sh.newest = r.older
	} else {
		r.newer.older = r.older
	}
	if r.older != nil {
		r.older.newer = r.newer
	}
	r.newer, r.older = nil, nil
}

// seat gives r its width in seats, which must be free. The caller notes the change.
func (sh *lockedShard) seat(r *Request, width int, now time.Duration) {
	sh.free -= width
	sh.started++
	r.held, r.started, r.phase = width, now, executing
}

// takeBack takes seats of r back, which ends. The caller notes the change.
func (sh *lockedShard) takeBack(r *Request, seats int, now time.Duration) {
	sh.free += seats
	addUsage(&sh.used, r, now)
	r.phase = absent
}
