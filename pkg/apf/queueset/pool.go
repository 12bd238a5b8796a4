package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

// pool is the open regime: the free seats are spread over shards, each with a
// lock of its own. BenchmarkCores measures what several shards bring.
type pool struct {
	shards []shard
	mask   uint32 // len(shards) - 1, where len(shards) is a power of two
}

func newPool(shards int) pool {
	return pool{shards: make([]shard, shards), mask: uint32(shards - 1)}
}

// shardOf returns the index of the shard of r.
func (p *pool) shardOf(r *Request) int { return int(r.shard & p.mask) }

// of returns the shard of r.
func (p *pool) of(r *Request) *shard { return &p.shards[r.shard&p.mask] }

// arrive adds r to its shard, and seats it if the pool is open and the shard has
// enough free seats. If the shard is locked, r moves to the next shard for good, so
// that processors do not go on to compete for one shard. arrive returns whether r
// is seated, and whether the changes of the shard should be merged.
func (p *pool) arrive(r *Request, width int, now time.Duration) (seated, full bool) {
	cell := p.of(r)
	sh := cell.TryLock()
	if sh == nil {
		r.shard++
		cell = p.of(r)
		sh = cell.Lock()
	}
	sh.link(r)
	if !sh.open || sh.free < width {
		cell.Unlock(&sh)
		return false, false
	}
	sh.seat(r, width, now)
	startKind, full := sh.startKind, sh.changes.full()
	cell.Unlock(&sh)
	r.Series.Started(p.shardOf(r), width, startKind)
	return true, full
}

// finish removes r, which executed, from its shard. If the pool is open and r has
// no additional latency, it takes the seats of r back. finish returns whether it
// did, and whether the changes of the shard should be merged. It panics if r has been
// removed, by another goroutine perhaps.
func (p *pool) finish(r *Request, now time.Duration) (finished, full bool) {
	cell := p.of(r)
	sh := cell.Lock()
	if !sh.has(r) {
		cell.Unlock(&sh)
		panic(notExecuting)
	}
	sh.unlink(r)
	if !sh.open || r.Work.Latency > 0 {
		cell.Unlock(&sh)
		return false, false
	}
	sh.finish(r, now)
	full = sh.changes.full()
	cell.Unlock(&sh)
	return true, full
}

// remove removes r, which was refused, from its shard.
func (p *pool) remove(r *Request) {
	cell := p.of(r)
	sh := cell.Lock()
	sh.unlink(r)
	cell.Unlock(&sh)
}

// lockedPool is a pool and its reserve: the free seats that no shard has. It
// belongs to the lock of the Set.
type lockedPool struct {
	*pool
	reserve int // seats
}

// open spreads half of the free seats over the shards and keeps the rest in
// reserve.
func (p *lockedPool) open(free int, startKind stats.StartKind) {
	p.reserve = free
	grant := p.grant()
	for i := range p.shards {
		sh := p.shards[i].Lock()
		sh.open, sh.startKind, sh.free = true, startKind, grant
		p.shards[i].Unlock(&sh)
		p.reserve -= grant
	}
}

// close takes all free seats back and returns their number. It calls adopt,
// unless that is nil, for each request that executes.
func (p *lockedPool) close(adopt func(*Request)) (free int) {
	free, p.reserve = p.reserve, 0
	for i := range p.shards {
		sh := p.shards[i].Lock()
		free += sh.free
		sh.open, sh.free = false, 0
		for r := sh.newest; r != nil && adopt != nil; r = r.older {
			if r.phase == executing {
				adopt(r)
			}
		}
		p.shards[i].Unlock(&sh)
	}
	return free
}

// grant is how many seats a shard gets at once: half of the reserve is left if
// every shard takes one grant.
func (p *lockedPool) grant() int { return p.reserve / (2 * len(p.shards)) }

// borrow seats r from the reserve of an open pool and grants its shard some more
// seats. It does nothing and returns false if the reserve has too few.
func (p *lockedPool) borrow(r *Request, width int, now time.Duration) bool {
	if p.reserve < width {
		return false
	}
	seats := max(width, p.grant())
	p.reserve -= seats
	cell := p.of(r)
	sh := cell.Lock()
	sh.free += seats
	sh.seat(r, width, now)
	cell.Unlock(&sh)
	return true
}

// free returns the number of seats that are free, in the reserve and in the
// shards.
func (p *lockedPool) free() int {
	free := p.reserve
	for i := range p.shards {
		sh := p.shards[i].Lock()
		free += sh.free
		p.shards[i].Unlock(&sh)
	}
	return free
}

// started returns the number of requests that the shards have seated.
func (p *lockedPool) started() uint64 {
	var sum uint64
	for i := range p.shards {
		sh := p.shards[i].Lock()
		sum += sh.started
		p.shards[i].Unlock(&sh)
	}
	return sum
}
