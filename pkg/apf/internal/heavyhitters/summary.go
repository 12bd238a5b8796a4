package heavyhitters

const (
	// Counters is k of the package comment: the number of flows of a summary.
	Counters = 100
	// maxDistinguisher is the number of bytes of a flow distinguisher that are kept.
	maxDistinguisher = 512
)

// Flow names a flow of a priority level.
type Flow struct{ Schema, Distinguisher string }

// counter counts one flow in one summary.
type counter struct {
	key           uint64 // hash of the flow
	sum           int64  // the flow has at most this weight
	excess        int64  // and at least this much less
	schema        string
	distinguisher []byte // its memory is used again
}

// summary is what flows used in one period.
type summary struct {
	number   int64 // of the period, counted from the origin of the clock
	total    int64 // exact weight of all flows
	floor    int64 // a flow without a counter has at most this weight
	counters []counter
}

// reset empties s for another period.
func (s *summary) reset(number int64) {
	s.number, s.total, s.floor, s.counters = number, 0, 0, s.counters[:0]
}

// grow adds a counter and returns its index. It uses the memory of one that was there
// before reset.
func (s *summary) grow() int {
	n := len(s.counters)
	if n < cap(s.counters) {
		s.counters = s.counters[:n+1]
	} else {
		s.counters = append(s.counters, counter{})
	}
	return n
}

// set makes c the counter of a flow.
func (c *counter) set(key uint64, schema, distinguisher string, sum, excess int64) {
	c.key, c.sum, c.excess, c.schema = key, sum, excess, schema
	c.distinguisher = append(c.distinguisher[:0], distinguisher[:min(len(distinguisher), maxDistinguisher)]...)
}
