package queueset

import "time"

// seatChanges are the changes of a shard of an open Set in the order in which they were
// noted: requests that start and end. Each takes 8 bytes, since a merge moves them from
// one processor's cache to another's, which BenchmarkCores measures.
type seatChanges struct {
	base time.Duration // of the times in the list
	list []seatChange
}

// seatChange is the time since the base in nanoseconds, the seats of the request, and in
// the last bit whether it ends.
type seatChange uint64

const (
	seatBits   = 16
	offsetBits = 64 - seatBits - 1 // 39 hours
	maxOffset  = 1<<offsetBits - 1
)

// mergeAt is how many changes a shard collects before they are integrated. With
// each merge the integrals move from one processor's cache to another's, which
// BenchmarkCores measures.
const mergeAt = 128

// add adds a change. It does nothing and returns false if the change does not fit into 8
// bytes.
func (c *seatChanges) add(at time.Duration, seats int, ends bool) bool {
	if len(c.list) == 0 {
		c.base = at
		if c.list == nil {
			c.list = make([]seatChange, 0, mergeAt+mergeAt/4)
		}
	}
	offset := at - c.base
	if offset > maxOffset || seats >= 1<<seatBits {
		return false
	}
	one := seatChange(offset)<<(seatBits+1) | seatChange(seats)<<1
	if ends {
		one |= 1
	}
	c.list = append(c.list, one)
	return true
}

// full reports whether the changes should be merged.
func (c *seatChanges) full() bool { return len(c.list) >= mergeAt }

// at returns the time of the first change of the list.
func (c *seatChanges) at() time.Duration {
	return c.base + time.Duration(c.list[0]>>(seatBits+1))
}

// pop removes the first change of the list and returns it.
func (c *seatChanges) pop() change {
	one := change{at: c.at(), executing: 1, seats: int32(c.list[0] >> 1 & (1<<seatBits - 1))}
	if c.list[0]&1 != 0 {
		one.executing, one.seats = -1, -one.seats
	}
	c.list = c.list[1:]
	return one
}

// before reports whether the first change of c is integrated before that of other: the
// earlier one, and of equal ones that of a request that ends, since the other may have got
// its seats.
func (c *seatChanges) before(other *seatChanges) bool {
	at, otherAt := c.at(), other.at()
	return at < otherAt || at == otherAt && c.list[0]&1 > other.list[0]&1
}

// append appends the changes of other, which are later.
func (c *seatChanges) append(other *seatChanges) {
	shift := other.base - c.base
	for _, one := range other.list {
		offset := min(shift+time.Duration(one>>(seatBits+1)), maxOffset)
		c.list = append(c.list, seatChange(offset)<<(seatBits+1)|one&(1<<(seatBits+1)-1))
	}
}
