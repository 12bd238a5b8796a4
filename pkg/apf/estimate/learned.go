package estimate

import "time"

// Learned estimates a list by what lists of its kind took, see the package comment. The
// formula of BySize is the prior. It is safe for concurrent use.
type Learned struct {
	History *History
	// Now is the clock of the History.
	Now func() time.Duration
	// CountsReads reports whether the History gets what lists read from the storage.
	// Otherwise it knows only what was sent: then the prior is a floor for what is read but
	// not sent.
	CountsReads bool
}

var _ Estimator = Learned{}

// Formula implements Estimator.
func (l Learned) Formula() Formula { return BySize() }

// Read implements Estimator.
func (l Learned) Read(r Read, stored Stored, maxWidth int) Cost {
	c := l.Formula().read(r, r.Kind.Whole, stored, maxWidth)
	if !c.AsList {
		return c
	}
	c.Prior = c.Bytes
	c.Bytes = l.History.Estimate(r.Type, r.Kind, c.Prior, l.Now())
	if !l.CountsReads && !c.Cached && (r.Kind.Selector != NoSelector || r.Kind.Whole) {
		c.Bytes = max(c.Bytes, c.Prior)
	}
	c.Unbounded = ceil(c.Bytes, bytesPerSeat)
	c.Work = c.bounded()
	return c
}
