package filter

import (
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/storage/cacher/delegator"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// TestWorkBySizeIsThatOfKubernetes134 compares the filter with package estimate, which
// package adoption compares with the library of each release.
func TestWorkBySizeIsThatOfKubernetes134(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 12))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	sites := []*site{newSite(t, queueset.Reject, 600), newSite(t, queueset.Queue, 600), newSite(t, queueset.Queue, 25)}
	seen := map[int]bool{}
	for range 20_000 {
		query := url.Values{}
		for _, option := range []struct {
			key    string
			values []string
		}{
			{"limit", []string{"0", "1", "99", "500", "-1", "9223372036854775807"}},
			{"resourceVersion", []string{"", "0", "12345"}},
			{"resourceVersionMatch", []string{"", "Exact", "NotOlderThan"}},
			{"continue", []string{"", "abc"}},
			{"labelSelector", []string{"", "a=b"}},
			{"fieldSelector", []string{"", "spec.nodeName=n"}},
			{"sendInitialEvents", []string{"true", "false"}},
		} {
			if random.IntN(3) == 0 {
				query.Set(option.key, pick(option.values...))
			}
		}
		r := requestOf(nobody, &apirequest.RequestInfo{
			IsResourceRequest: true, Verb: pick("list", "watch"), Resource: "configmaps", Name: pick("", "", "x"), Path: "/api/v1/configmaps",
		}, query.Encode())
		if beginsUnasked(r) {
			continue // as in 1.35
		}
		stored := estimate.Stored{Objects: random.Int64N(int64(1) << random.IntN(30)), Size: random.Int64N(int64(1) << random.IntN(22))}
		s := sites[random.IntN(len(sites))]
		s.options.ListCost, s.options.Sizes = estimate.CostBySize, func(string) int64 { return stored.Size }
		got := s.workOf(known{stored: stored.Objects}, r)
		read := readOf(t, r)
		want := estimate.ForKubernetes(34).Read(read, stored, s.engine.MaxWidth("tested")).Work
		require.Equal(t, want, got, "%s ?%s %+v", infoOf(r).Verb, r.URL.RawQuery, stored)
		seen[got.Initial] = true
	}
	assert.Greater(t, len(seen), 50, "estimates vary")
}

// readOf describes a list or a watch. The library says what serves it.
func readOf(t *testing.T, r *http.Request) estimate.Read {
	t.Helper()
	var options metav1.ListOptions
	query := r.URL.Query()
	require.NoError(t, metav1.Convert_url_Values_To_v1_ListOptions(&query, &options, nil))
	source, err := delegator.ShouldDelegateListMeta(&options, delegator.CacheWithoutSnapshots{})
	require.NoError(t, err)
	from := estimate.FromCache
	if source.ShouldDelegate {
		from = estimate.FromStorage
	}
	return estimate.Read{
		Source: from,
		Watch:  infoOf(r).Verb == "watch", Named: infoOf(r).Name != "",
		Selects: options.LabelSelector != "" || options.FieldSelector != "", Limit: options.Limit,
		ResourceVersion: options.ResourceVersion, ResourceVersionMatch: string(options.ResourceVersionMatch),
		Continue: options.Continue, SendInitialEvents: options.SendInitialEvents,
	}
}

func TestBadStatisticsAreSurvived(t *testing.T) {
	const fromEtcd = "limit=10&continue=x"
	for _, test := range []struct {
		name  string
		known known
		size  int64
		query string
		// What the list costs; learned as nothing was seen.
		count, bySize, learned int
	}{
		{"all is known", known{stored: 1_000}, 20_000, fromEtcd, 1, 2, 2},
		{"the size never comes", known{stored: 1_000}, 0, fromEtcd, 1, 100, 100},
		{"the size is negative", known{stored: 1_000}, -7, fromEtcd, 1, 100, 100},
		{"the size is the most negative", known{stored: 1_000}, math.MinInt64, fromEtcd, 1, 100, 100},
		{"the size is huge", known{stored: 1_000}, math.MaxInt64, fromEtcd, 1, 100, 100},
		{"and from the cache", known{stored: 1_000}, math.MaxInt64, fromCache, 10, 10, 10},
		{"the count is negative", known{stored: -1}, 20_000, fromEtcd, 1, 1, 1},
		{"the count is huge", known{stored: math.MaxInt64}, 20_000, "continue=x", 10, 100, 100},
		{"both are huge", known{stored: math.MaxInt64}, math.MaxInt64, "continue=x", 10, 100, 100},
		{"nothing is stored", known{}, 0, fromEtcd, 1, 1, 1},
		{"they are three minutes old", known{countErr: fcrequest.ObjectCountStaleErr}, 20, fromEtcd, 10, 100, 100},
		{"and from the cache", known{countErr: fcrequest.ObjectCountStaleErr}, 20, fromCache, 10, 10, 10},
		{"the type is stored elsewhere", known{countErr: fcrequest.ObjectCountNotFoundErr}, 20, fromEtcd, 1, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			for cost, want := range map[estimate.ListCost]int{
				estimate.CostByCount: test.count, estimate.CostBySize: test.bySize, estimate.CostLearned: test.learned,
			} {
				s := newSite(t, queueset.Reject, 1_000)
				s.options.ListCost, s.options.Sizes = cost, func(string) int64 { return test.size }
				assert.Equal(t, seats.Work{Initial: want}, s.workOf(test.known, requestBy(nobody, "list", test.query)), cost)
			}
		})
	}
}

// Statistics that were learned with go stale: the most is charged until they come back.
func TestStaleStatisticsAreAFloorOfWhatWasLearned(t *testing.T) {
	s := newLearningSite(t)
	var err error
	s.options.Objects = func(string) (int64, error) { return 10_000, err }
	query := "resourceVersion=5&resourceVersionMatch=Exact"
	for range 3 {
		s.ask(s.before(writing([]byte("{}"), 2)), requestBy(nobody, "list", query))
	}
	require.Equal(t, 1, s.seats(query))
	err = fcrequest.ObjectCountStaleErr
	require.Equal(t, 100, s.seats(query))
	err = nil
	require.Equal(t, 1, s.seats(query))
}

func TestInvalidOptionsCostTheMostBySizeToo(t *testing.T) {
	for seatsOfLevel, want := range map[int]int{25: 4, 600: 90} {
		t.Run(strconv.Itoa(seatsOfLevel), func(t *testing.T) {
			s := newSite(t, queueset.Queue, seatsOfLevel)
			s.options.ListCost = estimate.CostBySize
			assert.Equal(t, want, s.workOf(known{stored: 1}, requestBy(nobody, "list", "limit=many")).Initial)
		})
	}
}
