package estimate_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// estimatorPeer is the library's estimator with some figures.
type estimatorPeer struct {
	stored   estimate.Stored
	watchers int
	maxWidth int
}

// estimate returns the library's estimate.
func (p estimatorPeer) estimate(t *testing.T, method, url string) (seats.Work, *apirequest.RequestInfo) {
	t.Helper()
	factory := apirequest.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")}
	request := httptest.NewRequest(method, url, nil)
	info, err := factory.NewRequestInfo(request)
	require.NoError(t, err)
	request = request.WithContext(apirequest.WithRequestInfo(request.Context(), info))

	estimator := release.NewWorkEstimator(p.known, func(*apirequest.RequestInfo) int { return p.watchers }, func(string) uint64 { return uint64(p.maxWidth) })
	estimated := estimator.EstimateWork(request, "schema", "level")
	return seats.Work{Initial: int(estimated.InitialSeats), Final: int(estimated.FinalSeats), Latency: estimated.AdditionalLatency}, info
}

func (p estimatorPeer) known(string) (objects, size int64, err error) {
	switch {
	case p.stored.Unknown:
		err = fcrequest.ObjectCountNotFoundErr
	case p.stored.Stale:
		err = fcrequest.ObjectCountStaleErr
	}
	return p.stored.Objects, p.stored.Size, err
}

// etcdWithProgress is an etcd that reports the progress of watches. The library needs it to read a
// recent state from the watch cache.
type etcdWithProgress struct {
	etcdfeature.FeatureSupportChecker
}

func (etcdWithProgress) Supports(storage.Feature) bool { return true }

// TestEstimatesAreThoseOfThisReleaseOfTheLibrary compares the estimator of package
// estimate for the release with the library's.
func TestEstimatesAreThoseOfThisReleaseOfTheLibrary(t *testing.T) {
	former := etcdfeature.DefaultFeatureSupportChecker
	etcdfeature.DefaultFeatureSupportChecker = etcdWithProgress{former}
	t.Cleanup(func() { etcdfeature.DefaultFeatureSupportChecker = former })
	ours := estimate.ForKubernetes(release.Minor())
	widths, inputs := sets.New[int](), 0
	for _, p := range append(peers(), randomPeers(t)...) {
		for _, url := range reads() {
			want, info := p.estimate(t, http.MethodGet, url)
			got := ours.Read(readOf(t, url, info), p.stored, p.maxWidth)
			require.Equal(t, want, got.Work, "%s with %+v: %+v", url, p, got)
			widths.Insert(want.Initial)
			inputs++
		}
	}
	assert.Greater(t, widths.Len(), 5, "estimates vary")
	assert.Greater(t, inputs, 100_000)
}

func TestEstimatesOfWritesAreThoseOfThisReleaseOfTheLibrary(t *testing.T) {
	for _, p := range peers() {
		for method, urls := range map[string][]string{
			http.MethodPost:   {"/api/v1/namespaces/x/pods", "/api/v1/namespaces/x/serviceaccounts/a/token"},
			http.MethodPut:    {"/api/v1/namespaces/x/pods/a"},
			http.MethodPatch:  {"/api/v1/namespaces/x/pods/a/status"},
			http.MethodDelete: {"/api/v1/namespaces/x/pods/a", "/api/v1/namespaces/x/pods"},
			http.MethodGet:    {"/api/v1/namespaces/x/pods/a", "/healthz"},
		} {
			for _, url := range urls {
				want, info := p.estimate(t, method, url)
				got := estimate.One()
				if estimate.IsWrite(&flow.Attributes{Verb: info.Verb, Resource: info.Resource, Subresource: info.Subresource}) {
					got = estimate.Write(p.watchers, p.maxWidth)
				}
				assert.Equal(t, want.Initial, got.Initial)
				assert.Equal(t, want.Final, got.Final, "%s %s with %+v", method, url, p)
				assert.InDelta(t, want.Latency, got.Latency, float64(time.Microsecond))
			}
		}
	}
}

func peers() []estimatorPeer {
	var all []estimatorPeer
	for _, stored := range []estimate.Stored{
		{}, {Unknown: true}, {Stale: true}, {Objects: 1, Size: 1}, {Objects: 99, Size: 1_000}, {Objects: 101, Size: 2_000}, {Objects: 450},
		{Objects: 2_001, Size: 777}, {Objects: 10_000, Size: 2_000}, {Objects: 3, Size: 250_000}, {Objects: 1_000_000, Size: 10_000},
	} {
		for _, maxWidth := range []int{0, 1, 7, 10, 37, 150} {
			all = append(all, estimatorPeer{stored: stored, maxWidth: maxWidth, watchers: int(stored.Objects) % 1_000})
		}
	}
	return all
}

// randomPeers returns peers with random figures.
func randomPeers(t *testing.T) []estimatorPeer {
	t.Helper()
	random := rand.New(rand.NewPCG(lane.Seed(t), 17))
	all := make([]estimatorPeer, 180)
	for i := range all {
		all[i] = estimatorPeer{
			stored:   estimate.Stored{Objects: random.Int64N(int64(1) << (1 + random.IntN(30))), Size: random.Int64N(int64(1) << (1 + random.IntN(21)))},
			maxWidth: random.IntN(150),
		}
	}
	return all
}

// reads returns the URLs of lists and watches with all combinations of options.
func reads() []string {
	var urls []string
	for _, watch := range []string{"", "&watch=true", "&watch=true&sendInitialEvents=true", "&watch=true&sendInitialEvents=false"} {
		for _, resourceVersion := range []string{"", "&resourceVersion=0", "&resourceVersion=7"} {
			for _, match := range []string{"", "&resourceVersionMatch=Exact", "&resourceVersionMatch=NotOlderThan"} {
				for _, limit := range []string{"", "&limit=1", "&limit=500", "&limit=500&continue=token"} {
					for _, selector := range []string{"", "&labelSelector=a%3Db", "&fieldSelector=metadata.name%3Da"} {
						urls = append(urls, fmt.Sprintf("/apis/apps/v1/namespaces/x/deployments?a=b%s%s%s%s%s", watch, resourceVersion, match, limit, selector))
					}
				}
			}
		}
	}
	return urls
}

// readOf describes a list or a watch.
func readOf(t *testing.T, url string, info *apirequest.RequestInfo) estimate.Read {
	t.Helper()
	query := httptest.NewRequest(http.MethodGet, url, nil).URL.Query()
	var options metav1.ListOptions
	require.NoError(t, metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil))
	return estimate.Read{
		Watch: info.Verb == "watch", Named: info.Name != "",
		Selects: options.LabelSelector != "" || options.FieldSelector != "", Limit: options.Limit,
		ResourceVersion: options.ResourceVersion, ResourceVersionMatch: string(options.ResourceVersionMatch),
		Continue: options.Continue, SendInitialEvents: options.SendInitialEvents,
	}
}
