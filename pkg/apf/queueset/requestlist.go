package queueset

// requestList is a list of requests, linked along prev and next.
type requestList struct{ head, tail *Request }

// link adds r after another request of the list, or as the head.
func (l *requestList) link(r, after *Request) {
	r.prev = after
	if after == nil {
		r.next, l.head = l.head, r
	} else {
		r.next, after.next = after.next, r
	}
	if r.next == nil {
		l.tail = r
	} else {
		r.next.prev = r
	}
}

// unlink removes r, wherever it is.
func (l *requestList) unlink(r *Request) {
	if r.prev == nil {
		l.head = r.next
	} else {
		r.prev.next = r.next
	}
	if r.next == nil {
		l.tail = r.prev
	} else {
		r.next.prev = r.prev
	}
	r.prev, r.next = nil, nil
}
