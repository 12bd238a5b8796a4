package flowcontrol_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"k8s.io/apiserver/pkg/endpoints/request"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// seatsOf returns the seats of a request of a resource with this many objects.
func seatsOf(objects int64, verb, url string) uint64 {
	estimator := fcrequest.NewWorkEstimator(func(string) (int64, error) { return objects, nil },
		func(*request.RequestInfo) int { return 0 }, fcrequest.DefaultWorkEstimatorConfig(), func(string) uint64 { return 10 })
	r := asUser(httptest.NewRequest(http.MethodGet, url, nil), "informer", verb, "pods")
	return estimator(r, "fs", "pl").InitialSeats
}

// TestSeatsOfWatchThatListsFirst compares a watch without a resource version, which sends all
// objects first, with a list of them (kubernetes#134580, mended in 1.35).
func TestSeatsOfWatchThatListsFirst(t *testing.T) {
	list, watch := seatsOf(10_000, "list", "/api/v1/pods"), seatsOf(10_000, "watch", "/api/v1/pods?watch=true")
	if watch != list {
		t.Errorf("Expected a watch that sends 10,000 objects first to have the %d seats of a list, got %d", list, watch)
	}
}

// TestSeatsOfLargeObjects lists 10 objects. Each may have 1.5 MB, and a seat is for 100 KB
// (kubernetes#132233, mended in 1.34).
func TestSeatsOfLargeObjects(t *testing.T) {
	if seats := seatsOf(10, "list", "/api/v1/pods"); seats < 10 {
		t.Errorf("Expected a list of 10 objects of unknown size to have 10 seats, got %d", seats)
	}
}
