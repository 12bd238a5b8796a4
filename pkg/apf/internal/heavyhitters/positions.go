package heavyhitters

// tableSize is a power of two and more than twice Counters, so that a search ends soon.
const tableSize = 256

// Positions finds the position that belongs to a hash, for up to Counters hashes. It is a
// table with open addressing, whose memory does not change. The zero value is empty.
type Positions struct {
	hashes    [tableSize]uint64
	positions [tableSize]uint8 // 1 + the position, or 0 where there is none
}

// Find returns the position of a hash.
func (p *Positions) Find(hash uint64) (position int, found bool) {
	i := hash % tableSize
	for p.positions[i] != 0 && p.hashes[i] != hash {
		i = (i + 1) % tableSize
	}
	return int(p.positions[i]) - 1, p.positions[i] != 0
}

// Insert adds a hash that is not there, with its position, which must be below Counters.
func (p *Positions) Insert(hash uint64, position int) {
	i := hash % tableSize
	for p.positions[i] != 0 {
		i = (i + 1) % tableSize
	}
	p.hashes[i], p.positions[i] = hash, uint8(position+1)
}

// Remove removes a hash that is there. It moves the hashes that a search would no longer
// reach into the gap.
func (p *Positions) Remove(hash uint64) {
	gap := hash % tableSize
	for p.hashes[gap] != hash || p.positions[gap] == 0 {
		gap = (gap + 1) % tableSize
	}
	p.positions[gap] = 0
	for i := (gap + 1) % tableSize; p.positions[i] != 0; i = (i + 1) % tableSize {
		wanted := p.hashes[i] % tableSize
		if (i-wanted)%tableSize >= (i-gap)%tableSize {
			p.hashes[gap], p.positions[gap], p.positions[i] = p.hashes[i], p.positions[i], 0
			gap = i
		}
	}
}
