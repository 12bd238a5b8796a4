package engine

// SetTotal sets the number of seats of the server and computes the limits again, by the
// demand of the last period. A negative number counts as 0. Requests that execute keep
// their seats.
func (e *Engine) SetTotal(seats int) {
	e.mu.Lock()
	defer e.unlock()
	if seats = max(seats, 0); seats != e.total {
		e.total = seats
		e.divide()
	}
}

// Total returns the number of seats of the server.
func (e *Engine) Total() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.total
}
