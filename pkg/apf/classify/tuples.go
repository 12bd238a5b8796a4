package classify

import "math/bits"

// A set of verbs is a uint64: a bit for each of the first verbs that the schemas
// mention, and the bit otherVerbs for all other verbs.
const (
	verbsOfBits = 63
	otherVerbs  = 63
	anyVerb     = ^uint64(0)
)

// noRank is the rank of no schema.
const noRank = ^uint32(0)

// tuple is a key of the table: subject, API group, resource and namespace of a
// resource row; subject and URL of a non-resource row.
type tuple [4]uint32

// tuples maps a tuple and a verb to the lowest rank. It consists of many small hash
// tables: growing or clearing a large one would delay requests (BenchmarkApply of package
// benchmarks).
type tuples struct {
	pages []page // a power of two of them
	// known is the set of verbs with a bit, stride their number.
	known  uint64
	stride uint32
}

// tuplesPerPage is the approximate number of tuples of a page.
const tuplesPerPage = 256

// page is a hash table with linear probing.
type page struct {
	slots []slot // a power of two of them, at most three quarters in use
	used  int
	// further holds blocks of stride ranks, by verb.
	further []uint32
}

type slot struct {
	key   tuple
	verbs uint64 // the verbs of the lowest rank; 0 marks a free slot
	rank  uint32 // the lowest
	block uint32 // 1 + start of the ranks of the other verbs in further, or 0
}

// newTuples returns a table for at most n tuples and for that many verbs. It starts
// with room for n/4, because rows often share tuples.
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
	return t
}

// at returns the rank of a verb in the block of a slot. otherVerbs is the last.
func (p *page) at(s *slot, verb uint, stride uint32) *uint32 {
	return &p.further[s.block-1+min(uint32(verb), stride-1)]
}

func (p *page) addBlock(stride uint32) uint32 {
	block := uint32(len(p.further)) + 1
	for range stride {
		p.further = append(p.further, noRank)
	}
	return block
}

// hash returns the hash of a tuple: its lower half selects the page, the upper half
// the slot.
func (k *tuple) hash() uint64 {
	x := uint64(k[0])<<32 | uint64(k[2])
	y := uint64(k[1])<<32 | uint64(k[3])
	high, low := bits.Mul64(x^0x9E3779B97F4A7C15, y^0xC2B2AE3D27D4EB4F)
	return high ^ low
}

func (t *tuples) pageOf(hash uint64) *page { return &t.pages[int(hash)&(len(t.pages)-1)] }

// find returns the slot of the key, or the free slot for it.
func (p *page) find(key *tuple, hash uint64) *slot {
	mask := len(p.slots) - 1
	for i := int(hash>>32) & mask; ; i = (i + 1) & mask {
		if s := &p.slots[i]; s.verbs == 0 || s.key == *key {
			return s
		}
	}
}

// claim is find for an insertion: it grows the page if necessary.
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

// insert sets the rank of those verbs that have none yet. Ranks must be inserted in
// ascending order.
func (t *tuples) insert(key tuple, verbs uint64, rank uint32) {
	verbs &= t.known
	p := t.pageOf(key.hash())
	s := p.claim(&key)
	if s.verbs == 0 {
		*s = slot{key: key, verbs: verbs, rank: rank}
		return
	}
	more := verbs &^ s.verbs
	if more != 0 && s.block == 0 {
		s.block = p.addBlock(t.stride)
	}
	for ; more != 0; more &= more - 1 {
		if first := p.at(s, uint(bits.TrailingZeros64(more)), t.stride); *first == noRank {
			*first = rank
		}
	}
}

// lookup returns the lowest rank of the tuple and the verb, or noRank.
func (t *tuples) lookup(key tuple, verb uint) uint32 {
	hash := key.hash()
	p := t.pageOf(hash)
	s := p.find(&key, hash)
	switch {
	case s.verbs&(1<<verb) != 0:
		return s.rank
	case s.block != 0:
		return *p.at(s, verb, t.stride)
	}
	return noRank
}
