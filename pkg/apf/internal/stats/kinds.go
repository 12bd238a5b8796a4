package stats

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// Kind is a kind of request.
type Kind uint8

// The kinds.
const (
	ReadOnly Kind = iota
	Mutating
	KindCount // how many there are
)

// String returns the value of the metric label "request_kind".
func (k Kind) String() string {
	if k == Mutating {
		return "mutating"
	}
	return "readOnly"
}

const (
	kindShards = 8
	// kindBatch is the number of changes that fill a shard.
	kindBatch = 64
)

// KindGauges counts the requests of each kind that wait and execute. It is safe for
// concurrent use. Create one with NewKindGauges.
//
// A change goes to one of several shards, chosen at random. When a shard is full, the
// changes of all shards are sorted by time and integrated, so that requests rarely
// meet at one lock (BenchmarkFilter of package benchmarks).
type KindGauges struct {
	shards [kindShards]kindShard

	mu      sync.Mutex // guards what follows; locked before a shard's
	now     time.Duration
	gauges  [KindCount][2]kindGauge // by whether it executes
	changes []kindChange            // buffer of merge
}

type kindShard struct {
	mu      sync.Mutex // guards what follows
	changes []kindChange
	_       [64]byte
}

type kindChange struct {
	at        time.Duration
	delta     int32
	kind      Kind
	executing uint8 // 1 for yes
}

// kindGauge is the number of requests of one kind in one phase.
type kindGauge struct {
	count int
	share *TimeWeighted

	second int64 // the current second
	peak   int   // the largest count in the current second
	last   int   // the largest count in the second before
}

// NewKindGauges returns gauges that are zero from now on.
func NewKindGauges(now time.Duration) *KindGauges {
	k := &KindGauges{now: now}
	bounds := []float64{0, 0.001, 0.01, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 1}
	for kind := range k.gauges {
		for executing := range k.gauges[kind] {
			k.gauges[kind][executing].share = NewTimeWeighted(bounds, now)
		}
	}
	return k
}

// SetDenominators sets how many requests may wait and execute. Share is a fraction of them from now
// on.
func (k *KindGauges) SetDenominators(now time.Duration, waiting, executing float64) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.merge()
	for kind := range k.gauges {
		k.gauges[kind][0].share.SetDenominator(now, waiting)
		k.gauges[kind][1].share.SetDenominator(now, executing)
	}
}

// Waiting adds delta to the number of waiting requests from now on.
func (k *KindGauges) Waiting(kind Kind, delta int, now time.Duration) {
	k.record(kindChange{at: now, delta: int32(delta), kind: kind})
}

// Executing adds delta to the number of executing requests from now on.
func (k *KindGauges) Executing(kind Kind, delta int, now time.Duration) {
	k.record(kindChange{at: now, delta: int32(delta), kind: kind, executing: 1})
}

func (k *KindGauges) record(c kindChange) {
	sh := &k.shards[rand.Uint32()%kindShards] //nolint:gosec // the choice of a shard is no secret
	sh.mu.Lock()
	if sh.changes == nil {
		sh.changes = make([]kindChange, 0, kindBatch+kindBatch/4)
	}
	sh.changes = append(sh.changes, c)
	full := len(sh.changes) >= kindBatch
	sh.mu.Unlock()
	if full {
		k.mu.Lock()
		k.merge()
		k.mu.Unlock()
	}
}

// merge integrates the changes of all shards. It takes them at one moment: otherwise it
// could lack the end of a request whose sender has started another one through a shard that
// is taken later, and count both.
func (k *KindGauges) merge() {
	k.changes = k.changes[:0]
	for i := range k.shards {
		k.shards[i].mu.Lock()
	}
	for i := range k.shards {
		sh := &k.shards[i]
		k.changes = append(k.changes, sh.changes...)
		sh.changes = sh.changes[:0]
		sh.mu.Unlock()
	}
	// At one time, the ends of requests come first.
	slices.SortStableFunc(k.changes, func(a, b kindChange) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.delta, b.delta))
	})
	for _, c := range k.changes {
		k.now = max(k.now, c.at)
		k.gauges[c.kind][c.executing].add(k.now, int(c.delta))
	}
}

func (g *kindGauge) add(now time.Duration, delta int) {
	g.startSecond(now)
	g.count += delta
	g.peak = max(g.peak, g.count)
	g.share.Set(now, g.count)
}

// startSecond starts a new second if now is in one.
func (g *kindGauge) startSecond(now time.Duration) {
	second := int64(now / time.Second)
	if second == g.second {
		return
	}
	g.last = g.peak
	if second > g.second+1 {
		g.last = g.count // nothing changed in the second before
	}
	g.second, g.peak = second, g.count
}

// KindFigures is the snapshot of one kind in one phase.
type KindFigures struct {
	// Count is the present number of requests.
	Count int
	// Peak is the largest number in the last full second.
	Peak int
	// Share is the time-weighted distribution of the number, relative to the
	// denominator, in nanoseconds.
	Share Distribution
}

// KindSnapshot is the snapshot of all kinds.
type KindSnapshot struct {
	Waiting, Executing [KindCount]KindFigures
}

// Snapshot returns the present numbers.
func (k *KindGauges) Snapshot(now time.Duration) KindSnapshot {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.merge()
	now = max(now, k.now)
	var out KindSnapshot
	for kind := range k.gauges {
		out.Waiting[kind] = k.gauges[kind][0].figures(now)
		out.Executing[kind] = k.gauges[kind][1].figures(now)
	}
	return out
}

func (g *kindGauge) figures(now time.Duration) KindFigures {
	g.startSecond(now)
	return KindFigures{Count: g.count, Peak: g.last, Share: g.share.Snapshot(now)}
}
