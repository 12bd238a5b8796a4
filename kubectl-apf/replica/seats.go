package replica

import "cmp"

// Seats returns the seats that the request holds while it executes, which it may keep for its latency; nil if
// the dump does not tell them.
func (r *Request) Seats() *int {
	if r.InitialSeats == nil {
		return nil
	}
	return new(max(*r.InitialSeats, r.FinalSeats))
}

// Row returns the row of a level in the dump of levels; nil if it has none.
func (r *Replica) Row(level string) *Level {
	for i := range r.Levels {
		if r.Levels[i].Name == level {
			return &r.Levels[i]
		}
	}
	return nil
}

// TellsExecuting reports whether the dump of requests has the executing requests of a level.
func (r *Replica) TellsExecuting(level string) bool {
	if r.Lacks(EndpointRequests) {
		return false
	}
	for i := range r.Requests {
		if request := &r.Requests[i]; request.Level == level && !request.Started.IsZero() {
			return true
		}
	}
	row := r.Row(level)
	return row == nil && len(r.Requests) > 0 || row != nil && row.Executing == 0
}

// SeatsInUse returns the seats that the requests of a level hold, by the dumps; nil if they do not tell.
func (r *Replica) SeatsInUse(level string) *int {
	var sum, queues *int
	if r.TellsExecuting(level) {
		sum = new(0)
	}
	for i := range r.Requests {
		if request := &r.Requests[i]; request.Level == level && !request.Started.IsZero() {
			sum = Plus(sum, request.Seats())
		}
	}
	for i := range r.Queues {
		if q := &r.Queues[i]; q.Level == level {
			Add(&queues, &q.SeatsUsed)
		}
	}
	if sum != nil && queues != nil {
		return new(max(*sum, *queues))
	}
	return cmp.Or(sum, queues)
}

// Plus returns a sum, which is unknown if a part of it is.
func Plus(sum, figure *int) *int {
	if sum == nil || figure == nil {
		return nil
	}
	return new(*sum + *figure)
}
