package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// lockedPool is a pool and its reserve: the free seats that no shard has. It
// belongs to the lock of the Set.
type lockedPool struct {
	*pool
	reserve int // seats; changed by setReserve
	victim  int // the shard that gather takes seats from next
}

// setReserve sets the reserve.
func (p *lockedPool) setReserve(seats int) {
	p.reserve = seats
	if dry := seats == 0; p.dry.Load() != dry {
		p.dry.Store(dry)
	}
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
	}
	p.setReserve(free - grant*len(p.shards))
}

// close takes all free seats back and returns their number. It moves the final phases to
// those given.
func (p *lockedPool) close(final *finalPhases, now time.Duration) (free int) {
	free, p.reserve = p.reserve, 0
	for i := range p.shards {
		sh := p.shards[i].Lock()
		free += sh.free
		sh.open, sh.free = false, 0
		sh.final.moveTo(final, now)
		p.shards[i].Unlock(&sh)
	}
	return free
}

// grant is how many seats a shard gets at once: half of the reserve is left if
// every shard takes one grant.
func (p *lockedPool) grant() int { return p.reserve / (2 * len(p.shards)) }

// borrow seats r from the reserve of an open pool and grants its shard some more
// seats. If the reserve has too few, it takes seats of the other shards. It returns false
// if there are too few of them too. It reads the time when the seats are in use, like
// arrive, so that the changes of a shard are in order and none counts too early. noted is
// whether the shard has noted the change.
func (p *lockedPool) borrow(r *Request, width int) (seated, noted bool) {
	if !p.gather(width) {
		return false, false
	}
	seats := max(width, p.grant())
	p.setReserve(p.reserve - seats)
	cell := p.of(r)
	sh := cell.Lock()
	sh.free += seats
	now := p.clock.Now()
	sh.seat(r, width, now)
	noted = sh.changes.add(now, width, starts)
	cell.Unlock(&sh)
	return true, noted
}

// gather takes free seats from the shards until the reserve has the given number, and
// reports whether it has.
func (p *lockedPool) gather(seats int) bool {
	reserve := p.reserve
	for i := 0; i < len(p.shards) && reserve < seats; i++ {
		cell := &p.shards[p.victim]
		if p.victim++; p.victim == len(p.shards) {
			p.victim = 0
		}
		sh := cell.Lock()
		moved := min(sh.free, seats-reserve)
		sh.free -= moved
		reserve += moved
		cell.Unlock(&sh)
	}
	p.setReserve(reserve)
	return reserve >= seats
}

// resize changes the number of seats of an open pool. It returns false if more of them
// are in use than are to remain.
func (p *lockedPool) resize(by int) bool {
	if !p.gather(-by) {
		return false
	}
	p.setReserve(p.reserve + by)
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
