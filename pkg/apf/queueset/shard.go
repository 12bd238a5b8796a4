package queueset

import (
	"sync"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// shard holds a part of the free seats of an open Set, and all requests that
// came through it until they end.
type shard struct {
	mu      sync.Mutex // guards what follows
	open    bool
	passage stats.Passage
	free    int      // seats lent to this shard
	oldest  *Request // first of the requests
	changes changes
	started uint64 // requests that got their seats here

	_ [64]byte // keeps the neighbour off the last cache line
}

func (sh *shard) link(r *Request) {
	r.younger, r.older = sh.oldest, nil
	if sh.oldest != nil {
		sh.oldest.older = r
	}
	sh.oldest = r
}

func (sh *shard) unlink(r *Request) {
	if r.older == nil {
		sh.oldest = r.younger
	} else {
		r.older.younger = r.younger
	}
	if r.younger != nil {
		r.younger.older = r.older
	}
	r.older, r.younger = nil, nil
}

// take gives r its width in seats, which must be free, at now.
func (sh *shard) take(r *Request, width int, now time.Duration) {
	sh.free -= width
	sh.started++
	r.held, r.started, r.phase = width, now, executing
	sh.changes.add(change{at: now, executing: 1, seats: int32(width)})
}

// lockShard locks the shard that r prefers. One that is busy makes r prefer
// another from now on, so that processors that met part.
func (s *Set) lockShard(r *Request) *shard {
	sh := s.shardOf(r)
	if sh.mu.TryLock() {
		return sh
	}
	r.shard++
	sh = s.shardOf(r)
	sh.mu.Lock()
	return sh
}

func (s *Set) shardOf(r *Request) *shard { return &s.shards[r.shard&s.shardMask] }
