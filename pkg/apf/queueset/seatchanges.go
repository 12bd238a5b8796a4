package queueset

import "time"

// seatChanges are the changes of a shard of an open Set in the order of noting: requests that start
// and end, and seats that are released after an additional latency. Each takes 8 bytes, since a
// merge moves them from one processor's cache to another's, which BenchmarkCores measures.
type seatChanges struct {
	base time.Duration // of the times in the list
	list []seatChange
}

// seatChange is the time since the base in nanoseconds, how many seats are taken or
// returned, and in the last bits its kind.
type seatChange uint64

// seatChangeKind is what changes the seats in use.
type seatChangeKind seatChange

// The kinds. All but the first return seats.
const (
	starts   seatChangeKind = iota // a request starts
	ends                           // a request ends
	releases                       // an additional latency is over
)

const (
	kindBits  = 2
	seatBits  = 16
	timeShift = kindBits + seatBits
	maxOffset = 1<<(64-timeShift) - 1 // 19 hours
)

// mergeAt is how many changes a shard collects before they are integrated. With
// each merge the integrals move from one processor's cache to another's, which
// BenchmarkCores measures.
const mergeAt = 128

// add adds a change. It does nothing and returns false if the change does not fit into 8
// bytes.
func (c *seatChanges) add(at time.Duration, seats int, kind seatChangeKind) bool {
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
	c.list = append(c.list, seatChange(offset)<<timeShift|seatChange(seats)<<kindBits|seatChange(kind))
	return true
}

// full reports whether the changes should be merged.
func (c *seatChanges) full() bool { return len(c.list) >= mergeAt }

// at returns the time of the first change of the list.
func (c *seatChanges) at() time.Duration { return c.base + time.Duration(c.list[0]>>timeShift) }

// returns reports whether the first change of the list returns seats.
func (c *seatChanges) returns() bool { return c.list[0]&(1<<kindBits-1) != seatChange(starts) }

// pop removes the first change of the list and returns it.
func (c *seatChanges) pop() (at time.Duration, executing, seats int) {
	at, seats = c.at(), int(c.list[0]>>kindBits&(1<<seatBits-1))
	switch seatChangeKind(c.list[0] & (1<<kindBits - 1)) {
	case starts:
		executing = 1
	case ends:
		executing, seats = -1, -seats
	case releases:
		seats = -seats
	}
	c.list = c.list[1:]
	return at, executing, seats
}

// before reports whether the first change of c is integrated before other's: the earlier one. On a
// tie, releases come first: the other change may have taken those seats.
func (c *seatChanges) before(other *seatChanges) bool {
	at, otherAt := c.at(), other.at()
	return at < otherAt || at == otherAt && c.returns() && !other.returns()
}

// extend appends the changes of other, which are later.
func (c *seatChanges) extend(other *seatChanges) {
	shift := other.base - c.base
	for _, one := range other.list {
		offset := min(shift+time.Duration(one>>timeShift), maxOffset)
		c.list = append(c.list, seatChange(offset)<<timeShift|one&(1<<timeShift-1))
	}
}
