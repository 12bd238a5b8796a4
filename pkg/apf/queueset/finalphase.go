package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// finalPhase is a finished request that still holds its final seats.
type finalPhase struct {
	seats  int
	queue  *queue // nil if the request was in none
	era    uint64 // of the queue
	series *stats.Series
	shard  int // of the series
}

// finalPhases are ordered by the end of their additional latency. One timer
// serves all.
type finalPhases struct {
	clock  clock.Clock
	end    func() // called when an additional latency is over
	ending heap[time.Duration, finalPhase]
	timer  clock.Timer
	next   time.Duration // when the timer calls end; means nothing while ending is empty
}

// add adds a phase that lasts until due.
func (p *finalPhases) add(f finalPhase, due, now time.Duration) {
	p.ending.push(node[time.Duration, finalPhase]{rank: rank[time.Duration]{at: due}, number: unnumbered, item: f})
	if len(p.ending.nodes) == 1 || due < p.next {
		p.arm(now)
	}
}

// due returns a phase that is over, nil if there is none.
func (p *finalPhases) due(now time.Duration) *finalPhase {
	if len(p.ending.nodes) == 0 || p.ending.nodes[0].at > now {
		return nil
	}
	return &p.ending.nodes[0].item
}

// popDue removes a phase that is over and returns it, or false if there is none.
func (p *finalPhases) popDue(now time.Duration) (f finalPhase, ok bool) {
	first := p.due(now)
	if first == nil {
		return finalPhase{}, false
	}
	f = *first
	p.ending.remove(0)
	return f, true
}

// moveTo moves all phases to other.
func (p *finalPhases) moveTo(other *finalPhases, now time.Duration) {
	for i := range p.ending.nodes {
		other.add(p.ending.nodes[i].item, p.ending.nodes[i].at, now)
	}
	p.ending.clear()
}

// arm sets the timer to the end of the first phase, if there is one.
func (p *finalPhases) arm(now time.Duration) {
	if len(p.ending.nodes) == 0 {
		return
	}
	p.next = p.ending.nodes[0].at
	if p.timer == nil {
		p.timer = p.clock.AfterFunc(p.next-now, p.end)
		return
	}
	p.timer.Reset(p.next - now)
}
