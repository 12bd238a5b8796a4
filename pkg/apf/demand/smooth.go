package demand

// decay is A of the package comment.
const decay = 0.977

// Smooth returns the smoothed demand, in seats, after the given period, when
// it was previous before it.
func Smooth(previous float64, p Period) float64 {
	if p.Duration <= 0 {
		return previous
	}
	envelope := p.Average + p.Deviation
	return max(envelope, decay*previous+(1-decay)*envelope)
}
