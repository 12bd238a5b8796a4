package queueset

import (
	"container/heap"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/clock"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// finalPhase is a finished request that still holds its final seats.
type finalPhase struct {
	seats  int
	due    time.Duration // when its additional latency is over
	queue  *flowQueue    // nil if the request was in none
	series *stats.Series
	shard  int // of the series
}

// finalPhases are ordered by the end of their additional latency. One timer
// serves all.
type finalPhases struct {
	clock  clock.Clock
	end    func() // called when an additional latency is over
	phases phaseHeap
	timer  clock.Timer
}

// add adds a phase.
func (p *finalPhases) add(f finalPhase, now time.Duration) {
	heap.Push(&p.phases, f)
	if p.phases[0].due == f.due {
		p.arm(now)
	}
}

// popDue removes a phase that is over and returns it, or false if there is none.
func (p *finalPhases) popDue(now time.Duration) (f finalPhase, ok bool) {
	if len(p.phases) == 0 || p.phases[0].due > now {
		return finalPhase{}, false
	}
	return heap.Pop(&p.phases).(finalPhase), true
}

// arm sets the timer to the end of the first phase, if there is one.
func (p *finalPhases) arm(now time.Duration) {
	switch {
	case len(p.phases) == 0:
	case p.timer == nil:
		p.timer = p.clock.AfterFunc(p.phases[0].due-now, p.end)
	default:
		p.timer.Reset(p.phases[0].due - now)
	}
}

type phaseHeap []finalPhase

func (h phaseHeap) Len() int           { return len(h) }
func (h phaseHeap) Less(i, j int) bool { return h[i].due < h[j].due }
func (h phaseHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *phaseHeap) Push(f any)        { *h = append(*h, f.(finalPhase)) }
func (h *phaseHeap) Pop() any {
	last := len(*h) - 1
	f := (*h)[last]
	(*h)[last] = finalPhase{}
	*h = (*h)[:last]
	return f
}
