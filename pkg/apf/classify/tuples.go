package classify

import "math/bits"

// Sets of verbs have a bit for each of the first verbs that are mentioned, and
// one, otherVerbs, for all that have none of their own.
const (
	verbsOfBits = 63
	otherVerbs  = 63
	anyVerb     = ^uint64(0)
)

// noRank is above all ranks.
const noRank = ^uint32(0)

// tuple is a key of the table: for resource rows subject, API group, resource
// and namespace; for others subject and URL.
type tuple [4]uint32

// tuples maps a tuple and a verb to the lowest rank. It is made of many small
// hash tables, so that neither memory nor time is needed in large pieces, during
// which requests would wait.
type tuples struct {
	pages []page // a power of two of them
	// known is the set of verbs that are told apart, stride their number.
	known  uint64
	stride uint32
	// further holds blocks of stride ranks, by verb. The first is unused, so
	// that 0 is no block.
	further []uint32
}

// tuplesPerPage is about how many tuples a page may get.
const tuplesPerPage = 1024

// page is a hash table with linear probing.
type page struct {
	slots []slot // a power of two of them, at most three quarters in use
	used  int
}

type slot struct {
	key   tuple
	verbs uint64 // of the lowest rank; no verb at all marks a free slot
	rank  uint32 // the lowest
	block uint32 // where the ranks of other verbs are in further, or 0
}

// newTuples returns a table for at most n tuples and for that many verbs. As
// rows may have tuples in common, it has room for a quarter at first.
func newTuples(n int, verbs uint32) tuples {
	verbs = min(verbs, verbsOfBits)
	t := tuples{
		pages:  make([]page, 1<<bits.Len(uint(n/tuplesPerPage))),
		known:  1<<verbs - 1 | 1<<otherVerbs,
		stride: verbs + 1,
	}
	for i := range t.pages {
		t.pages[i].slots = make([]slot, 1<<bits.Len(uint(n/len(t.pages)/4)))
	}
	t.addBlock()
	return t
}

func (t *tuples) addBlock() uint32 {
	block := uint32(len(t.further))
	for range t.stride {
		t.further = append(t.further, noRank)
	}
	return block
}

// place is where the rank of a verb is in a block; otherVerbs is the last.
func (t *tuples) place(block uint32, verb uint) *uint32 {
	return &t.further[block+min(uint32(verb), t.stride-1)]
}

// hash tells the page of a tuple by its lower half, and the slot by the upper.
func (k *tuple) hash() uint64 {
	x := uint64(k[0])<<32 | uint64(k[2])
	y := uint64(k[1])<<32 | uint64(k[3])
	high, low := bits.Mul64(x^0x9E3779B97F4A7C15, y^0xC2B2AE3D27D4EB4F)
	return high ^ low
}

func (t *tuples) pageOf(hash uint64) *page { return &t.pages[int(hash)&(len(t.pages)-1)] }

// find returns the slot of the key, or the free one where it belongs.
func (p *page) find(key *tuple, hash uint64) *slot {
	mask := len(p.slots) - 1
	for i := int(hash>>32) & mask; ; i = (i + 1) & mask {
		if s := &p.slots[i]; s.verbs == 0 || s.key == *key {
			return s
		}
	}
}

// claim returns the slot of the key, which is free if the key is new.
func (p *page) claim(key *tuple) *slot {
	hash := key.hash()
	s := p.find(key, hash)
	if s.verbs != 0 {
		return s
	}
	p.used++
	if 4*p.used > 3*len(p.slots) {
		p.grow()
		s = p.find(key, hash)
	}
	return s
}

func (p *page) grow() {
	former := p.slots
	p.slots = make([]slot, 2*len(former))
	for i := range former {
		if s := &former[i]; s.verbs != 0 {
			*p.find(&s.key, s.key.hash()) = *s
		}
	}
}

// insert notes a rank for all verbs of a set that have none yet. Ranks must not
// descend from one call to the next.
func (t *tuples) insert(key tuple, verbs uint64, rank uint32) {
	verbs &= t.known
	s := t.pageOf(key.hash()).claim(&key)
	if s.verbs == 0 {
		*s = slot{key: key, verbs: verbs, rank: rank}
		return
	}
	more := verbs &^ s.verbs
	if more != 0 && s.block == 0 {
		s.block = t.addBlock()
	}
	for ; more != 0; more &= more - 1 {
		if lowest := t.place(s.block, uint(bits.TrailingZeros64(more))); *lowest == noRank {
			*lowest = rank
		}
	}
}

// lookup returns the lowest rank of the verb under the tuple, if that is below
// best, or else best.
func (t *tuples) lookup(key tuple, verb uint, best uint32) uint32 {
	hash := key.hash()
	s := t.pageOf(hash).find(&key, hash)
	switch {
	case s.verbs&(1<<verb) != 0:
		return min(best, s.rank)
	case s.block != 0 && s.rank < best:
		return min(best, *t.place(s.block, verb))
	default:
		return best
	}
}
