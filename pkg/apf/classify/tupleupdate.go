package classify

import "math/bits"

// tupleUpdate changes tuples that an older version shares. It copies each page before it
// changes it.
type tupleUpdate struct {
	*tuples
	copied []bool   // by page
	ranks  []uint32 // by the number of the schema
}

func newTupleUpdate(t *tuples, ranks []uint32) *tupleUpdate {
	return &tupleUpdate{tuples: t, copied: make([]bool, len(t.pages)), ranks: ranks}
}

// holders are the first schemas of a tuple by the bit of the verb.
type holders [otherVerbs + 1]uint32

// add adds a row's schema to a tuple.
func (u *tupleUpdate) add(key tuple, verbs uint64, schema uint32) {
	verbs &= u.known
	p := u.own(&key)
	s := p.claim(&key)
	h := u.read(p, s)
	for more := verbs; more != 0; more &= more - 1 {
		if first := &h[bits.TrailingZeros64(more)]; *first == noSchema || u.ranks[schema] < u.ranks[*first] {
			*first = schema
		}
	}
	s.key = key
	u.write(p, s, &h)
}

// remove removes a schema from a tuple. next calls its function with each row of the tuple
// after the schema, in matching order, until that returns false.
func (u *tupleUpdate) remove(key tuple, schema uint32, next func(func(*row) bool)) {
	hash := key.hash()
	s := u.pageOf(hash).find(&key, hash)
	if s.verbs == 0 {
		return
	}
	h := u.read(u.pageOf(hash), s)
	lost := uint64(0)
	for verb := range h {
		if h[verb] == schema {
			h[verb] = noSchema
			lost |= 1 << verb
		}
	}
	if lost == 0 {
		return
	}
	next(func(r *row) bool {
		for found := r.verbSet & lost; found != 0; found &= found - 1 {
			h[bits.TrailingZeros64(found)] = r.schema
		}
		lost &^= r.verbSet
		return lost != 0
	})
	p := u.own(&key)
	s = p.find(&key, hash)
	if u.write(p, s, &h); s.verbs == 0 {
		*p = p.rebuilt(u.stride)
	}
}

// own returns the page of a key, which it copies if an older version has it.
func (u *tupleUpdate) own(key *tuple) *page {
	i := u.indexOf(key.hash())
	if !u.copied[i] {
		u.pages[i], u.copied[i] = u.pages[i].rebuilt(u.stride), true
	}
	return &u.pages[i]
}

// read returns the holders of a slot, which may be free.
func (u *tupleUpdate) read(p *page, s *slot) holders {
	var h holders
	for verb := range h {
		switch {
		case s.verbs&(1<<verb) != 0:
			h[verb] = s.schema
		case s.block != 0 && u.known&(1<<verb) != 0:
			h[verb] = *p.at(s, uint(verb), u.stride)
		default:
			h[verb] = noSchema
		}
	}
	return h
}

// write stores the holders of a slot. Without any the slot is free, and the page must be
// rebuilt.
func (u *tupleUpdate) write(p *page, s *slot, h *holders) {
	s.schema, s.verbs, s.block = noSchema, 0, 0
	for _, schema := range h {
		if schema != noSchema && (s.schema == noSchema || u.ranks[schema] < u.ranks[s.schema]) {
			s.schema = schema
		}
	}
	for verb, schema := range h {
		switch schema {
		case noSchema:
		case s.schema:
			s.verbs |= 1 << verb
		default:
			if s.block == 0 {
				s.block = p.addBlock(u.stride)
			}
			*p.at(s, uint(verb), u.stride) = schema
		}
	}
}

// rebuilt returns a copy of the page without the slots that were freed and the blocks that
// were replaced.
func (p *page) rebuilt(stride uint32) page {
	next := page{slots: make([]slot, len(p.slots)), further: make([]uint32, 0, len(p.further))}
	for i := range p.slots {
		s := &p.slots[i]
		if s.verbs == 0 {
			continue
		}
		to := next.find(&s.key, s.key.hash())
		*to = *s
		next.used++
		if s.block != 0 {
			to.block = uint32(len(next.further)) + 1
			next.further = append(next.further, p.further[s.block-1:][:stride]...)
		}
	}
	return next
}
