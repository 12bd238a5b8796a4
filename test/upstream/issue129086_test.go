package flowcontrol_test

import "testing"

// TestUpperLimitIsAtMostTheServer reads what may be borrowed: what the other levels have, not what
// all have.
func TestUpperLimitIsAtMostTheServer(t *testing.T) {
	const seats = 600
	newController(seats)
	if actual := gauge(t, "apiserver_flowcontrol_upper_limit_seats", "catch-all"); actual > seats {
		t.Errorf("Expected an upper limit of at most the %d seats of the server, got %v", seats, actual)
	}
}
