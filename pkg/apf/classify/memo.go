package classify

import (
	"math/bits"
	"sync/atomic"
)

// memoSlots is the number of outcomes that a memo holds. It must be a power of
// two.
const memoSlots = 4096

// memo remembers what walks over long rows came to. It has a fixed size (128
// KiB), takes no lock, and allocates nothing: a slot is written between two
// increments of its sequence, and what is read while the sequence is odd, or
// changes, is not used. To forget costs a walk and nothing else.
type memo [memoSlots]memoSlot

type memoSlot struct {
	sequence atomic.Uint32 // 0 if it was never written, odd while it is
	rank     atomic.Uint32
	key      [3]atomic.Uint64
}

// memoKey is what an outcome depends on.
type memoKey [3]uint64

func newMemoKey(subject uint32, v values) memoKey {
	return memoKey{
		uint64(subject)<<32 | uint64(v[0]),
		uint64(v[1])<<32 | uint64(v[2]),
		uint64(v[3]),
	}
}

func (m *memo) slot(k memoKey) *memoSlot {
	high, low := bits.Mul64(k[0]^0x9E3779B97F4A7C15, k[1]^0xC2B2AE3D27D4EB4F)
	high, low = bits.Mul64(high^low, k[2]^0x165667B19E3779F9)
	return &m[(high^low)%memoSlots]
}

// get returns the outcome for a key, if it is remembered.
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

// put remembers the outcome for a key, unless somebody is about to remember
// another in the same place.
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
