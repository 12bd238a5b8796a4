package classify

import (
	"math/bits"
	"sync/atomic"
)

// memoSlots is the number of results that a memo holds, a power of two.
const memoSlots = 4096

// memo caches the results of walks over an index (BenchmarkManySchemas). It has a fixed
// size (160 KiB), takes no lock and allocates nothing. Each slot is a sequence lock: a writer makes the sequence odd, writes, and
// makes it even again; a reader discards what it read if the sequence was odd or
// changed. A miss costs a walk.
type memo [memoSlots]memoSlot

type memoSlot struct {
	sequence atomic.Uint32 // 0 if it was never written, odd while it is
	rank     atomic.Uint32
	key      [3]atomic.Uint64
}

// memoKey is what a result depends on.
type memoKey [3]uint64

func newMemoKey(v *values) memoKey {
	return memoKey{uint64(v[0])<<32 | uint64(v[1]), uint64(v[2])<<32 | uint64(v[3]), uint64(v[4])}
}

func (m *memo) slot(k memoKey) *memoSlot {
	high, low := bits.Mul64(k[0]^0x9E3779B97F4A7C15, k[1]^0xC2B2AE3D27D4EB4F)
	high, low = bits.Mul64(high^low, k[2]^0x165667B19E3779F9)
	return &m[(high^low)%memoSlots]
}

// get returns the result for a key, if the memo has it.
func (m *memo) get(k memoKey) (rank uint32, ok bool) {
	s := m.slot(k)
	sequence := s.sequence.Load()
	if sequence == 0 || sequence%2 != 0 {
		return 0, false
	}
	for i := range k {
		if s.key[i].Load() != k[i] {
			return 0, false
		}
	}
	rank = s.rank.Load()
	return rank, s.sequence.Load() == sequence
}

// put stores the result for a key, unless another goroutine is writing the same slot.
func (m *memo) put(k memoKey, rank uint32) {
	s := m.slot(k)
	sequence := s.sequence.Load()
	if sequence%2 != 0 || !s.sequence.CompareAndSwap(sequence, sequence+1) {
		return
	}
	for i := range k {
		s.key[i].Store(k[i])
	}
	s.rank.Store(rank)
	s.sequence.Store(sequence + 2)
}
