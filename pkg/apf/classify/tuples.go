package classify

import "math/bits"

// Sets of verbs have a bit for each of the first verbs that are mentioned, and
// one, otherVerbs, for all that have none of their own.
const (
	verbsOfBits = 63
	otherVerbs  = 63
	anyVerb     = ^uint64(0)
)

// tuple is a key of the table: for resource rows subject, API group, resource
// and namespace; for others subject and URL.
type tuple [4]uint32

// tuples maps a tuple to its (verbs, rank) pairs: a hash table of the first
// pair of each tuple, with linear probing, and a list of the further ones.
type tuples struct {
	slots   []slot // a power of two of them, at most half of them in use
	further []pair // the first is unused, so that 0 ends a chain
}

type slot struct {
	key tuple
	pair
}

type pair struct {
	verbs uint64 // no verb at all marks a free slot
	rank  uint32
	next  uint32 // index into further
}

// newTuples returns a table with room for n tuples.
func newTuples(n int) tuples {
	return tuples{
		slots:   make([]slot, 1<<bits.Len(uint(2*n))),
		further: make([]pair, 1),
	}
}

func (t *tuples) find(key tuple) *slot {
	x := uint64(key[0])<<32 | uint64(key[2])
	y := uint64(key[1])<<32 | uint64(key[3])
	high, low := bits.Mul64(x^0x9E3779B97F4A7C15, y^0xC2B2AE3D27D4EB4F)
	mask := len(t.slots) - 1
	for i := int(high^low) & mask; ; i = (i + 1) & mask {
		if s := &t.slots[i]; s.verbs == 0 || s.key == key {
			return s
		}
	}
}

// insert adds a pair. Ranks must not descend from one call to the next.
func (t *tuples) insert(key tuple, verbs uint64, rank uint32) {
	s := t.find(key)
	if s.verbs == 0 {
		*s = slot{key: key, pair: pair{verbs: verbs, rank: rank}}
		return
	}
	last, seen := &s.pair, s.verbs
	for last.next != 0 {
		last = &t.further[last.next]
		seen |= last.verbs
	}
	if verbs&^seen != 0 {
		last.next = uint32(len(t.further))
		t.further = append(t.further, pair{verbs: verbs, rank: rank})
	}
}

// lookup returns the lowest rank, below best, under which the tuple was
// inserted with the verb, or best.
func (t *tuples) lookup(key tuple, verb uint64, best uint32) uint32 {
	p := &t.find(key).pair
	for {
		if p.rank >= best {
			return best
		}
		if p.verbs&verb != 0 {
			return p.rank
		}
		if p.next == 0 {
			return best
		}
		p = &t.further[p.next]
	}
}
