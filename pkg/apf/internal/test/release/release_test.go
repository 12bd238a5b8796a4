package release_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/endpoints/request"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
)

func TestReleaseIsOneOfThoseThatAreSupported(t *testing.T) {
	assert.GreaterOrEqual(t, release.Minor(), 33)
	assert.LessOrEqual(t, release.Minor(), 37)
}

func TestLibraryEstimatesByWhatItIsTold(t *testing.T) {
	objects := func(string) (int64, error) { return 1_000, nil }
	estimator := release.NewWorkEstimator(objects, func(*request.RequestInfo) int { return 0 }, func(string) uint64 { return 10 })
	r := httptest.NewRequest(http.MethodGet, "/api/v1/pods?resourceVersion=0", nil)
	info := &request.RequestInfo{IsResourceRequest: true, Verb: "list", Resource: "pods", Path: "/api/v1/pods"}
	r = r.WithContext(request.WithRequestInfo(r.Context(), info))
	assert.EqualValues(t, 10, estimator(r, "schema", "level").InitialSeats, "1,000 objects of 1,000 bytes")
}

func TestTrackerCountsWhatItIsTold(t *testing.T) {
	tracker := fcrequest.NewStorageObjectCountTracker()
	release.SetObjects(tracker, "pods", 7, 1_000)
	_, err := tracker.Get("pods")
	assert.NoError(t, err)
}
