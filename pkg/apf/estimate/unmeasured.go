package estimate

import "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"

// Unmeasured is what is not known of a list that is charged less than the formula says, until it has
// ended: whether it takes less. See the package comment.
type Unmeasured struct {
	// Seats are how many more the formula says, if no level bounds them.
	Seats int64
	// Formula is what the list is charged if too many such lists execute.
	Formula seats.Work
}

// Unmeasured returns what is not known of a list of this cost, on a level whose bound is maxWidth
// seats; 0 means none.
func (f Formula) Unmeasured(c Cost, maxWidth int) Unmeasured {
	more := f.OfBytes(c.Prior, 0).Initial - f.OfBytes(c.Bytes, 0).Initial
	return Unmeasured{Seats: int64(max(more, 0)), Formula: f.OfBytes(c.Prior, maxWidth)}
}

// Admit counts a list until Settle, on a server of total seats. It reports false, and does not count
// the list, if this list and the counted lists have more Seats than the server. One list is always
// counted.
func (l *History) Admit(u Unmeasured, total int) bool {
	for {
		present := l.unmeasured.Load()
		if present > 0 && present+u.Seats > int64(total) {
			return false
		}
		if l.unmeasured.CompareAndSwap(present, present+u.Seats) {
			return true
		}
	}
}

// Settle ends the count of a list that Admit counted.
func (l *History) Settle(u Unmeasured) { l.unmeasured.Add(-u.Seats) }
