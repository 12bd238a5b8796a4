package engine

// SetTotal sets the number of seats of the server and computes the limits again, by the
// demand of the last period. A negative number counts as 0. Requests that execute keep
// their seats.
func (e *Engine) SetTotal(seats int) {
	e.mu.Lock()
	defer e.unlock()
	if seats := int64(max(seats, 0)); e.total.Swap(seats) != seats {
		e.configure(nil)
	}
}

// Total returns the number of seats of the server. It takes no lock.
func (e *Engine) Total() int { return int(e.total.Load()) }
