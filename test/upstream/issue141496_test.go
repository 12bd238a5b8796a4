package flowcontrol_test

import "testing"

// TestTargetOfExempt reads the target of an exempt priority level that has no shares and no requests.
func TestTargetOfExempt(t *testing.T) {
	newController(600)
	target := gauge(t, "apiserver_flowcontrol_target_seats", "exempt")
	if limit := gauge(t, "apiserver_flowcontrol_current_limit_seats", "exempt"); target != limit {
		t.Errorf("Expected the target of exempt to be its limit of %v seats, got %v", limit, target)
	}
}
