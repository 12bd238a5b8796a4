package flowcontrol_test

import (
	"testing"

	"k8s.io/component-base/metrics/legacyregistry"
)

// gauge returns the value of a metric for a priority level.
func gauge(t *testing.T, name, level string) float64 {
	t.Helper()
	families, err := legacyregistry.DefaultGatherer.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, family := range families {
		for _, metric := range family.GetMetric() {
			if family.GetName() == name && metric.GetLabel()[0].GetValue() == level {
				return metric.GetGauge().GetValue()
			}
		}
	}
	t.Fatalf("%s has no value for %s", name, level)
	return 0
}

// TestUpperLimitIsAtMostTheServer reads what may be borrowed: what the other levels have, not what
// all have.
func TestUpperLimitIsAtMostTheServer(t *testing.T) {
	const seats = 600
	newController(seats)
	if actual := gauge(t, "apiserver_flowcontrol_upper_limit_seats", "catch-all"); actual > seats {
		t.Errorf("Expected an upper limit of at most the %d seats of the server, got %v", seats, actual)
	}
}
