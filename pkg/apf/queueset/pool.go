package queueset

import (
	"sync/atomic"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
)

// pool is the open regime: the free seats are spread over shards, each with a
// lock of its own. BenchmarkCores measures what several shards bring.
type pool struct {
	clock  clock.Clock
	shards []shard
	mask   uint32 // len(shards) - 1, where len(shards) is a power of two

	// dry is whether the reserve is empty. Then a request that finds too few seats in its
	// shard tries the other shards before it asks for the lock of the Set.
	dry atomic.Bool
}

// shardOf returns the index of the shard of r.
func (p *pool) shardOf(r *Request) int { return int(r.shard & p.mask) }

// of returns the shard of r.
func (p *pool) of(r *Request) *shard { return &p.shards[r.shard&p.mask] }

// arrive adds r to its shard, and seats it if the pool is open, the shard can note that,
// and there are enough free seats in that shard or, while the reserve is empty, in another.
// If the shard is locked, r moves to the next shard for good, so that processors do not go
// on to compete for one shard. arrive returns whether r is seated, and whether the changes
// of the shard should be merged.
func (p *pool) arrive(r *Request, width int) (seated, full bool) {
	cell := p.of(r)
	sh := cell.TryLock()
	if sh == nil {
		r.shard++
		cell = p.of(r)
		sh = cell.Lock()
	}
	if sh.open && sh.free < width && p.dry.Load() {
		cell.Unlock(&sh)
		cell, sh = p.lockAnother(r, width)
	}
	sh.link(r)
	now := p.clock.Now()
	r.arrived = now
	if !sh.open || sh.free < width || !sh.changes.add(now, width, starts) {
		cell.Unlock(&sh)
		return false, false
	}
	sh.seat(r, width, now)
	startKind, full := sh.startKind, sh.changes.full()
	cell.Unlock(&sh)
	r.Series.Started(p.shardOf(r), width, startKind)
	return true, full
}

// lockAnother moves r to the first other shard that has enough free seats, and locks that.
// If there is none, it locks the shard of r.
func (p *pool) lockAnother(r *Request, width int) (*shard, *lockedShard) {
	for range p.mask {
		r.shard++
		cell := p.of(r)
		sh := cell.Lock()
		if sh.open && sh.free >= width {
			return cell, sh
		}
		cell.Unlock(&sh)
	}
	r.shard++
	cell := p.of(r)
	return cell, cell.Lock()
}

// end removes r, which executed, from its shard. If the pool is open, and the shard can
// note that, it takes the seats of r back, at once or after the additional latency. end
// returns the time, whether it took the seats, and whether the changes of the shard should
// be merged. It panics if r has been removed, by another goroutine perhaps.
func (p *pool) end(r *Request) (now time.Duration, finished, full bool) {
	cell := p.of(r)
	sh := cell.Lock()
	if !sh.has(r) {
		cell.Unlock(&sh)
		panic(notExecuting)
	}
	now = p.clock.Now()
	sh.unlink(r)
	kept := r.finalSeats()
	if !sh.open || kept >= 1<<seatBits || !sh.changes.add(now, r.held-kept, ends) {
		cell.Unlock(&sh)
		return now, false, false
	}
	if kept > 0 {
		sh.final.add(finalPhase{seats: kept, series: r.Series, shard: p.shardOf(r)}, now+r.Work.Latency, now)
	}
	sh.takeBack(r, r.held-kept, now)
	full = sh.changes.full()
	cell.Unlock(&sh)
	return now, true, full
}

// endFinalPhases takes the final seats of shard i back whose additional latency is over. In
// a closed pool the shard has none. It returns whether the changes of the shard should be
// merged, and whether they must be merged before there is room to note the rest.
func (p *pool) endFinalPhases(i int) (full, blocked bool) {
	sh := p.shards[i].Lock()
	now := p.clock.Now()
	for f := sh.final.due(now); f != nil; f = sh.final.due(now) {
		if blocked = !sh.changes.add(now, f.seats, releases); blocked {
			break
		}
		sh.free += f.seats
		f.series.Released(f.shard, f.seats)
		sh.final.popDue(now)
	}
	if !blocked {
		sh.final.arm(now)
	}
	full = sh.changes.full()
	p.shards[i].Unlock(&sh)
	return full, blocked
}

// remove removes r, which was rejected, from its shard.
func (p *pool) remove(r *Request) {
	cell := p.of(r)
	sh := cell.Lock()
	sh.unlink(r)
	cell.Unlock(&sh)
}
