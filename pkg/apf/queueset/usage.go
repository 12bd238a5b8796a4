package queueset

import (
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// addUsage adds what r used until it ended, and what it uses in its additional latency.
func addUsage(b *heavyhitters.Batch, r *Request, ended time.Duration) {
	area := seats.AreaOf(r.held, ended-r.started) + r.Work.FinalArea()
	b.Add(ended, r.Series.Schema, r.Flow, int64(area))
}

// heavyFlows counts what flows used. Batches are collected like changes, and counted when
// those are merged.
type heavyFlows struct {
	windows *heavyhitters.Windows // nil until something is used, and when all is forgotten
	runs    []heavyhitters.Batch  // by shard: what is to be counted
	spares  []heavyhitters.Batch  // by shard: an empty batch, which may have memory
}

// newHeavyFlows returns heavyFlows for a number of shards.
func newHeavyFlows(shards int) heavyFlows {
	return heavyFlows{runs: make([]heavyhitters.Batch, shards+1), spares: make([]heavyhitters.Batch, shards+1)}
}

// collect collects the batch of shard i, to be counted by mergeRuns, and leaves an empty one in
// its place.
func (h *heavyFlows) collect(i int, b *heavyhitters.Batch) {
	h.runs[i], *b, h.spares[i] = *b, h.spares[i], heavyhitters.Batch{}
}

// mergeRuns counts the batches in h.runs and empties them.
func (h *heavyFlows) mergeRuns() {
	for i := range h.runs {
		if !h.runs[i].Empty() && h.windows == nil {
			h.windows = heavyhitters.NewWindows()
		}
		if h.windows != nil {
			h.windows.Count(&h.runs[i])
		}
		h.spares[i], h.runs[i] = h.runs[i], heavyhitters.Batch{}
	}
}

// forgetBatches releases the memory of all batches, which must be empty.
func (h *heavyFlows) forgetBatches() {
	clear(h.runs)
	clear(h.spares)
}

// forgetUnused releases the memory of the counters if nothing was used for so long.
func (h *heavyFlows) forgetUnused(now time.Duration) {
	if h.windows != nil && h.windows.Empty(now) {
		h.windows = nil
	}
}

// HeavyFlows returns what the heaviest flows used in the last minutes, see package
// heavyhitters. The use of a request counts when it ends.
func (s *Set) HeavyFlows() []heavyhitters.Use {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	l.merge(s.clock.Now())
	if l.flows.windows == nil {
		return nil
	}
	return l.flows.windows.Report(s.clock.Now())
}

// HeaviestFlow returns which part of the seat-seconds of the last minute the heaviest
// flow used, from 0 to 1; 0 if there are none.
func (s *Set) HeaviestFlow() float64 {
	l := s.locked.Lock()
	defer s.locked.Unlock(&l)
	l.merge(s.clock.Now())
	if l.flows.windows == nil {
		return 0
	}
	return l.flows.windows.Heaviest(s.clock.Now())
}
