package filter

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/features"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/apiserver/pkg/util/flowcontrol"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
	featuregatetesting "k8s.io/component-base/featuregate/testing"
	"k8s.io/klog/v2"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/release"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// known holds the inputs of an estimate: counts of objects and watchers.
type known struct {
	stored   int64
	countErr error
	watchers int
}

var _ flowcontrol.WatchTracker = known{}

func (k known) Objects(string) (int64, error)                           { return k.stored, k.countErr }
func (k known) RegisterWatch(*http.Request) flowcontrol.ForgetWatchFunc { return nil }
func (k known) GetInterestedWatchCount(*apirequest.RequestInfo) int     { return k.watchers }

// workOf returns this filter's estimate for a request with these inputs.
func (s *site) workOf(k known, r *http.Request) seats.Work {
	s.options.Objects, s.options.Watches = k.Objects, k
	return s.estimate(r)
}

// estimate returns this filter's estimate for a request.
func (s *site) estimate(r *http.Request) seats.Work {
	p := request{Filter: New(s.engine, s.options), apf: s.engine.Begin(), ctx: r.Context(), info: infoOf(r), exchange: &exchange{request: r}}
	defer p.apf.End()
	FillAttributes(&p.apf.Attributes, p.info, userOf(r))
	p.apf.Classify()
	return p.work(nil).Normal()
}

func TestWorkOfRequests(t *testing.T) {
	const many = 100_000
	serviceAccount := func(verb, subresource string) *http.Request {
		r := requestBy(nobody, verb, "")
		infoOf(r).Resource, infoOf(r).Subresource = "serviceaccounts", subresource
		return r
	}
	named := func(verb, query string) *http.Request {
		r := requestBy(nobody, verb, query)
		infoOf(r).Name = "x"
		return r
	}
	single := seats.Work{Initial: 1}
	fanOut := seats.Work{Initial: 1, Final: 10, Latency: 50 * time.Millisecond}
	for _, test := range []struct {
		name    string
		request *http.Request
		known   known
		want    seats.Work
	}{
		{"a get is one seat", named("get", ""), known{stored: many}, single},
		{"a list of everything is as wide as it gets", requestBy(nobody, "list", ""), known{stored: many}, seats.Work{Initial: 10}},
		{"a list of a page from etcd reads and writes it", requestBy(nobody, "list", "limit=150"), known{stored: many}, seats.Work{Initial: 3}},
		{"112557: a list of one name is a get", named("list", "fieldSelector=metadata.name%3Dx"), known{stored: many}, single},
		{"109106, 109188: a type that others serve is one seat", requestBy(nobody, "list", ""), known{countErr: fcrequest.ObjectCountNotFoundErr}, single},
		{"a count that is stale is the most", requestBy(nobody, "list", ""), known{stored: 1, countErr: fcrequest.ObjectCountStaleErr}, seats.Work{Initial: 10}},
		{"so is one that fails", requestBy(nobody, "list", ""), known{countErr: errors.New("broken")}, seats.Work{Initial: 10}},
		{"options that cannot be read are the most", requestBy(nobody, "list", "limit=many"), known{stored: 1}, seats.Work{Initial: 10}},
		{"a watch from a version on sends changes alone", requestBy(nobody, "watch", "resourceVersion=7"), known{stored: many}, single},
		{"118933: a watch that asks for initial events is a list", requestBy(nobody, "watch", "resourceVersion=7&sendInitialEvents=true"), known{stored: 450}, seats.Work{Initial: 5}},
		{"a watch that declines them is not", requestBy(nobody, "watch", "sendInitialEvents=false"), known{stored: many}, single},
		{"134580, 134601: a watch without a version begins with the state", requestBy(nobody, "watch", "watch=1"), known{stored: 450}, seats.Work{Initial: 5}},
		{"so does one without any option", requestBy(nobody, "watch", ""), known{stored: 450}, seats.Work{Initial: 5}},
		{"and one from version 0", requestBy(nobody, "watch", "resourceVersion=0"), known{stored: 450}, seats.Work{Initial: 5}},
		{"a watch of one name sends one object", named("watch", ""), known{stored: many}, single},
		{"105804: a write that nobody watches is one seat", requestBy(nobody, "update", ""), known{}, single},
		{"a write that nine watch too", requestBy(nobody, "patch", ""), known{watchers: 9}, single},
		{"105930, 106085: a write that a thousand watch pays for them", requestBy(nobody, "create", ""), known{watchers: 1000}, fanOut},
		{"a deletion too", requestBy(nobody, "delete", ""), known{watchers: 1000}, fanOut},
		{"113206: a token of a service account is nothing to watch", serviceAccount("create", "token"), known{watchers: 1000}, single},
		{"a service account is", serviceAccount("create", ""), known{watchers: 1000}, fanOut},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(t, queueset.Reject, 100)
			assert.Equal(t, test.want, s.workOf(test.known, test.request))
		})
	}
}

func TestWatchersOfWritesAreCounted(t *testing.T) {
	s := newSite(t, queueset.Reject, 10)
	s.options.Watches = known{watchers: 70}
	handler := s.before(func(http.ResponseWriter, *http.Request) {})
	for _, verb := range []string{"update", "get", "list", "patch"} {
		s.ask(handler, requestBy(nobody, verb, ""))
	}
	counts := s.series("everybody").WatchCount
	assert.EqualValues(t, 2, counts.Count())
	assert.InDelta(t, 140, counts.Sum, 0)
}

func TestObjectsAreAskedForByGroupAndResource(t *testing.T) {
	for _, test := range []struct{ group, resource, want string }{
		{"", "pods", "pods"},
		{"flowcontrol.apiserver.k8s.io", "flowschemas", "flowschemas.flowcontrol.apiserver.k8s.io"},
	} {
		assert.Equal(t, test.want, groupResource(&apirequest.RequestInfo{APIGroup: test.group, Resource: test.resource}))
	}
}

// libraryWork returns the library's estimate.
func (s *site) libraryWork(k known, r *http.Request) seats.Work {
	estimate := release.NewWorkEstimator(func(string) (int64, int64, error) { return k.stored, 1_000, k.countErr }, k.GetInterestedWatchCount,
		func(level string) uint64 { return uint64(s.engine.MaxWidth(level)) })
	e := estimate(r, "everybody", "tested")
	return seats.Work{Initial: int(e.InitialSeats), Final: int(e.FinalSeats), Latency: e.AdditionalLatency}
}

// requireLibraryWork requires that the two estimates agree, up to 0.33: later releases do
// not estimate by the number of objects, and package estimate compares those. They differ
// in two points:
//
//   - A watch without a resourceVersion, or from "0", also begins with the
//     present state, which costs as much as a list (kubernetes/kubernetes
//     134580). This version of the library counts one seat for it.
//   - The library counts work in units of 10 ns seats and rounds down. This
//     package counts nanoseconds and rounds up.
func requireLibraryWork(t *testing.T, s *site, k known, r *http.Request) {
	t.Helper()
	if release.Minor() > 33 {
		return
	}
	ours := s.workOf(k, r)
	if beginsUnasked(r) {
		asked := r.Clone(r.Context())
		asked.URL.RawQuery += "&sendInitialEvents=true"
		r = asked
	}
	theirs := s.libraryWork(k, r)
	assert.InDelta(t, theirs.Latency, ours.Latency, float64(20*time.Nanosecond))
	theirs.Latency = ours.Latency
	require.Equal(t, theirs, ours, "%s ?%s %+v", infoOf(r).Verb, r.URL.RawQuery, k)
}

// beginsUnasked reports whether a watch begins with the present state without
// an explicit request for it.
func beginsUnasked(r *http.Request) bool {
	query := r.URL.Query()
	version := query.Get("resourceVersion")
	return infoOf(r).Verb == "watch" && len(query["sendInitialEvents"]) == 0 && (version == "" || version == "0")
}

func sites(t *testing.T) []*site {
	t.Helper()
	// The library logs every request that it cannot estimate.
	t.Cleanup(klog.CaptureState().Restore)
	klog.SetLogger(logr.Discard())
	featuregatetesting.SetFeatureGateDuringTest(t, utilfeature.DefaultFeatureGate, features.WatchList, true)
	return []*site{newSite(t, queueset.Reject, 600), newSite(t, queueset.Queue, 600), newSite(t, queueset.Queue, 25), newSite(t, queueset.Queue, 1)}
}

func TestWorkIsThatOfTheLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 11))
	pick := func(of ...string) string { return of[random.IntN(len(of))] }
	sites := sites(t)
	for range 20_000 {
		query := url.Values{}
		for _, option := range []struct {
			key    string
			values []string
		}{
			{"limit", []string{"0", "1", "99", "500", "-1", "many", "9223372036854775807", "99999999999999999999"}},
			{"resourceVersion", []string{"", "0", "1", "12345", "x"}},
			{"resourceVersionMatch", []string{"", "Exact", "NotOlderThan", "Newest"}},
			{"continue", []string{"", "abc"}},
			{"labelSelector", []string{"", "a=b"}},
			{"fieldSelector", []string{"", "metadata.name=x", "spec.nodeName=n"}},
			{"sendInitialEvents", []string{"true", "false", "1", "0", "perhaps", ""}},
			{"timeoutSeconds", []string{"5", "soon"}},
			{"watch", []string{"true"}},
		} {
			if random.IntN(4) == 0 {
				query.Set(option.key, pick(option.values...))
			}
		}
		k := known{stored: random.Int64N(int64(1) << random.IntN(40)), watchers: random.IntN(1 << random.IntN(14))}
		switch random.IntN(10) {
		case 0:
			k.countErr = fcrequest.ObjectCountNotFoundErr
		case 1:
			k.countErr = fcrequest.ObjectCountStaleErr
		case 2:
			k.countErr = errors.New("broken")
		}
		r := requestOf(nobody, &apirequest.RequestInfo{
			IsResourceRequest: random.IntN(10) > 0,
			Verb:              pick("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "head"),
			APIGroup:          pick("", "apps"),
			Resource:          pick("pods", "serviceaccounts"),
			Subresource:       pick("", "token", "status"),
			Namespace:         pick("", "default"),
			Name:              pick("", "", "x"),
			Path:              "/api/v1/pods",
		}, query.Encode())
		requireLibraryWork(t, sites[random.IntN(len(sites))], k, r)
	}
}

func FuzzWorkIsThatOfTheLibrary(f *testing.F) {
	for i, verb := range []string{"list", "watch", "update", "get"} {
		f.Add(verb, "limit=5&resourceVersion=0", int64(1000*i), 40*i)
		f.Add(verb, "sendInitialEvents=true&limit=%zz", int64(-1), -1)
	}
	f.Fuzz(func(t *testing.T, verb, query string, stored int64, watchers int) {
		if stored < 0 || stored > 1<<40 || watchers > 1<<30 {
			return // outside the range of the library's arithmetic
		}
		for _, s := range sites(t) {
			requireLibraryWork(t, s, known{stored: stored, watchers: watchers}, requestBy(nobody, verb, query))
		}
	})
}
