package heavyhitters

import "time"

// batchSize is the number of entries that a Batch has memory for at first (BenchmarkIdleLevel of
// package benchmarks).
const batchSize = 16

// Batch collects what requests used until Windows count it, so that a request pays
// neither for a lock nor for finding the counter of its flow (BenchmarkHeavyFlows of
// package benchmarks). It is not safe for concurrent use. The zero value is empty.
type Batch struct{ entries []entry }

// entry is what one request used, or several of one flow that ended one at a time.
type entry struct {
	flow            Flow
	seatNanoseconds int64
	ended           time.Duration
}

// Add adds seat-nanoseconds that a flow had used when a request of it ended.
func (b *Batch) Add(ended time.Duration, schema, distinguisher string, seatNanoseconds int64) {
	if n := len(b.entries); n > 0 {
		if last := &b.entries[n-1]; last.flow.Distinguisher == distinguisher && last.flow.Schema == schema {
			last.seatNanoseconds += seatNanoseconds
			last.ended = ended
			return
		}
	}
	if b.entries == nil {
		b.entries = make([]entry, 0, batchSize)
	}
	b.entries = append(b.entries, entry{Flow{schema, distinguisher}, seatNanoseconds, ended})
}

// Empty reports whether b is empty.
func (b *Batch) Empty() bool { return len(b.entries) == 0 }

// Capacity returns for how many entries b has memory.
func (b *Batch) Capacity() int { return cap(b.entries) }

// Count counts what b has collected and empties it. It keeps the memory of b.
func (w *Windows) Count(b *Batch) {
	for i := range b.entries {
		e := &b.entries[i]
		w.Add(e.ended, e.flow, e.seatNanoseconds)
	}
	clear(b.entries) // names of users
	b.entries = b.entries[:0]
}

// Len returns the number of entries of b.
func (b *Batch) Len() int { return len(b.entries) }
