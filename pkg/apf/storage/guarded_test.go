package storage

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apiserver/pkg/storage"
	etcdfeature "k8s.io/apiserver/pkg/storage/feature"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/leaks"
)

func TestMain(m *testing.M) {
	etcdfeature.DefaultFeatureSupportChecker = etcdWithProgress{etcdfeature.DefaultFeatureSupportChecker}
	leaks.Main(m)
}

// etcdWithProgress supports what the watch cache needs for lists of the latest state, as etcd
// does since 3.5.8.
type etcdWithProgress struct {
	etcdfeature.FeatureSupportChecker
}

func (etcdWithProgress) Supports(storage.Feature) bool { return true }

func fifty() []*list {
	lists := make([]*list, 50)
	for i := range lists {
		lists[i] = &list{}
	}
	return lists
}

// The first list reads at once. Lists that arrive meanwhile share the next read.
func TestFiftyIdenticalListsReadTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		lists := fifty()
		s.sendAll(lists)
		for _, l := range lists {
			assertSound(t, l, 1)
		}
		assert.LessOrEqual(t, s.etcd.reads, 2)
		assert.Equal(t, 1, s.etcd.most, "at once")
		for i, l := range lists {
			l.result.Items[0].Name = "changed"
			assert.NotEqual(t, "changed", lists[(i+1)%len(lists)].result.Items[0].Name, "each has an array of its own")
			l.result.Items[0].Name = "/configmaps/"
		}
		s.requireNothingLeft()
	})
}

func TestTheMetricCountsWhatBecameOfLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.sendAll(fifty())
		assert.EqualValues(t, s.etcd.reads, testutil.ToFloat64(s.reads.total.WithLabelValues("configmaps", read)))
		assert.EqualValues(t, 50-s.etcd.reads, testutil.ToFloat64(s.reads.total.WithLabelValues("configmaps", shared)))
		problems, err := testutil.CollectAndLint(s.reads)
		require.NoError(t, err)
		assert.Empty(t, problems)
	})
}

func TestListsThatDifferDoNotShare(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.sendAll([]*list{{}, {query: "limit=5"}, {query: "limit=6"}, {query: "resourceVersion=0&limit=5"}})
		assert.Equal(t, 4, s.etcd.reads)
	})
}

// While etcd reads, the seats of a read from etcd are in use, and the seats of waiting lists are
// free.
func TestAReadFromEtcdHasItsSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		var sent sync.WaitGroup
		sent.Go(func() { s.sendAll(fifty()) })
		<-time.After(readTime / 2)
		assert.Equal(t, storageSeats, s.figures().SeatsInUse)
		<-time.After(readTime)
		assert.Equal(t, storageSeats, s.figures().SeatsInUse)
		sent.Wait()
		s.requireNothingLeft()
	})
}

// A list that was estimated as a read from etcd has seats for it.
func TestAListThatPaidReadsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, storageSeats)
		continued := &list{query: "limit=5000&continue=token"}
		first := s.engine.Begin()
		defer first.End()
		s.sendAll([]*list{continued})
		assertSound(t, continued, 1)
		assert.Zero(t, testutil.CollectAndCount(s.reads), "it did not ask again")
	})
}

func TestAListWithoutSeatsIsRejected(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, storageSeats)
		var sent sync.WaitGroup
		l, release := s.sendShort(t.Context(), &sent)
		<-time.After(requestTimeout / 2)
		synctest.Wait()
		require.True(t, apierrors.IsTooManyRequests(l.err), "%v", l.err)
		after, _ := apierrors.SuggestsClientDelay(l.err)
		assert.Positive(t, after)
		assert.Contains(t, l.err.Error(), "no seats to read it from etcd")
		assert.Less(t, l.took, requestTimeout/4+2*time.Millisecond, "it waits for a quarter of its time")
		assert.EqualValues(t, 1, testutil.ToFloat64(s.reads.total.WithLabelValues("configmaps", rejected)))
		assert.Zero(t, s.etcd.reads)
		release()
		sent.Wait()
		s.requireNothingLeft()
	})
}

// A list that was rejected waits for lists that still ask, but not for ever later ones, as two
// levels can have by turns.
func TestARejectedListDoesNotWaitForEverLaterLists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		users := []string{"left", "right"}
		s := newSite(t, 600)
		s.configure(10, users...)
		var sent sync.WaitGroup
		held := make(chan struct{})
		for _, user := range users { // of 200 seats, enough remain for first ones
			holds := make(chan struct{})
			sent.Go(func() { s.hold(user, 200-cacheSeats, holds, held) })
			<-holds
		}
		lists := make([]*list, 24)
		for i := range lists {
			lists[i] = &list{user: users[i%len(users)]}
			sent.Go(func() { s.send(t.Context(), lists[i]) })
			<-time.After(requestTimeout / 12)
		}
		<-time.After(requestTimeout)
		synctest.Wait()
		for _, l := range lists {
			assert.True(t, l.status == http.StatusTooManyRequests || apierrors.IsTooManyRequests(l.err), "%v", l.err)
			assert.Less(t, l.took, requestTimeout/2, "a quarter for its first seats, and of the rest for others")
		}
		close(held)
		sent.Wait()
		s.requireNothingLeft()
	})
}

// A list that waits has no seats, nor a place in a queue. Nevertheless a client cannot have any
// number of them.
func TestTheListsOfOneFlowThatWaitAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.configure(2 * filter.MaxVacant)
		s.etcd.took = requestTimeout / 2
		const sent = 2000
		lists := make([]*list, sent)
		var done sync.WaitGroup
		for i := range lists {
			lists[i] = &list{user: "flood"}
			done.Go(func() { s.send(t.Context(), lists[i]) })
			<-time.After(encodeTime)
		}
		other := &list{user: "other"}
		done.Go(func() { s.send(t.Context(), other) })
		<-time.After(requestTimeout / 4)
		synctest.Wait()
		rejections := int(testutil.ToFloat64(s.reads.total.WithLabelValues("configmaps", rejected)))
		assert.Equal(t, filter.MaxVacant, sent-rejections)
		done.Wait()
		assertSound(t, other, 1)
		s.requireNothingLeft()
		late := &list{user: "flood"}
		s.send(t.Context(), late)
		assertSound(t, late, 1)
	})
}

// A list that names an object, but not its namespace, reads all.
func TestAListOfANameInAllNamespacesAsksForTheSeatsOfAll(t *testing.T) {
	for _, query := range []string{"", "&resourceVersion=1&resourceVersionMatch=Exact"} {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, 600)
			l := &list{name: "x", query: "fieldSelector=metadata.name%3Dx" + query}
			var sent sync.WaitGroup
			sent.Go(func() { s.sendAll([]*list{l}) })
			<-time.After(readTime / 2)
			assert.Equal(t, storageSeats, s.figures().SeatsInUse, query)
			sent.Wait()
			assertSound(t, l, 1)
			s.requireNothingLeft()
		})
	}
}

// A layer below the guard may read through another guard.
func TestAReadBelowAReadUsesItsSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, storageSeats)
		outer := s.reads.Guard(s.store, configMaps, newList)
		l := &list{user: "a"}
		l.read = func(ctx context.Context) error {
			return outer.GetList(ctx, "/configmaps/", storage.ListOptions{Recursive: true}, &l.result)
		}
		s.send(t.Context(), l)
		assertSound(t, l, 1)
		assert.Equal(t, readTime, l.took)
		s.requireNothingLeft()
	})
}

func TestAClientThatLeavesWhileItWaitsForSeatsLeavesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, storageSeats)
		var sent sync.WaitGroup
		ctx, leave := context.WithCancel(t.Context())
		l, release := s.sendShort(ctx, &sent)
		leave()
		synctest.Wait()
		require.ErrorIs(t, l.err, context.Canceled)
		assert.Zero(t, s.figures().Waiting)
		assert.Zero(t, s.etcd.reads)
		release()
		sent.Wait()
		s.requireNothingLeft()
	})
}

// The client whose list reads for all leaves. The others get their result.
func TestAReadOutlivesItsClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.etcd.write()
		var sent sync.WaitGroup
		sent.Go(func() { s.send(t.Context(), &list{user: "before"}) }) // keeps the read of the others pending
		synctest.Wait()
		ctx, leave := context.WithCancel(t.Context())
		one, other := &list{user: "one"}, &list{user: "other"}
		sent.Go(func() { s.send(ctx, one) })
		synctest.Wait()
		sent.Go(func() { s.send(t.Context(), other) })
		<-time.After(readTime + readTime/2)
		leave() // one reads, or other does: either way the other gets its result
		sent.Wait()
		assertSound(t, other, 2)
		assert.Equal(t, 2, s.etcd.reads)
		s.requireNothingLeft()
	})
}

func TestAReadEndsWithItsLastClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		ctx, leave := context.WithCancel(t.Context())
		var sent sync.WaitGroup
		sent.Go(func() { s.send(ctx, &list{user: "only"}) })
		<-time.After(readTime / 2)
		begun := time.Now()
		leave()
		sent.Wait()
		assert.Zero(t, time.Since(begun))
		s.requireNothingLeft()
	})
}

func TestTheDeadlineOfAListIsItsOwn(t *testing.T) {
	for range 50 { // the scheduler decides which of the two reads
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, 600)
			var sent sync.WaitGroup
			sent.Go(func() { s.send(t.Context(), &list{user: "before"}) }) // keeps the read of both pending
			synctest.Wait()
			short, long := &list{deadline: readTime + readTime/2}, &list{}
			s.sendAll([]*list{short, long})
			require.True(t, apierrors.IsTimeout(short.err), "%v", short.err)
			assert.Contains(t, []time.Duration{short.deadline, 2 * readTime}, short.took, "it may read for the other")
			assertSound(t, long, 1)
			sent.Wait()
			s.requireNothingLeft()
		})
	}
}

// An exempt list does not wait for the seats of a list that it joins.
func TestAnExemptListWaitsForNobodysSeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, storageSeats)
		var sent sync.WaitGroup
		l, release := s.sendShort(t.Context(), &sent)
		master := &list{user: "master"}
		s.send(t.Context(), master)
		assertSound(t, master, 1)
		assert.Equal(t, readTime+encodeTime, master.took)
		release() // the list that waits for seats shares the read of master, and needs its first seats
		sent.Wait()
		assertSound(t, l, 1)
		assert.Equal(t, 1, s.etcd.reads)
		s.requireNothingLeft()
	})
}

func TestOneRequestThatReadsTwiceAtOnceReadsOneAfterTheOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, storageSeats)
		l := &list{user: "two", read: func(ctx context.Context) error {
			errs := make([]error, 2)
			var both sync.WaitGroup
			for i, key := range []string{"/configmaps/", "/secrets/"} {
				both.Go(func() { errs[i] = s.store.GetList(ctx, key, storage.ListOptions{}, newList()) })
			}
			both.Wait()
			require.NoError(t, errs[0])
			return errs[1]
		}}
		s.send(t.Context(), l)
		require.NoError(t, l.err)
		assert.Equal(t, 2*readTime, l.took)
		s.requireNothingLeft()
	})
}

func TestALimitThatSinksBelowAListStillLetsItReadAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.configure(50)
		var sent sync.WaitGroup
		lists := fifty()
		sent.Go(func() { s.sendAll(lists) })
		<-time.After(readTime / 2)
		s.engine.SetTotal(cacheSeats / 2)
		sent.Wait()
		for _, l := range lists {
			assertSound(t, l, 1)
		}
		s.requireNothingLeft()
	})
}

func TestAnErrorOfEtcdIsThatOfAllWhoShareTheRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.etcd.err = errOfEtcd
		lists := fifty()
		s.sendAll(lists)
		for _, l := range lists {
			require.ErrorIs(t, l.err, errOfEtcd)
		}
		s.requireNothingLeft()
	})
}

func TestAPanicHarmsNobodyElseForGood(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		s.etcd.panics = true
		lists := fifty()
		s.sendAll(lists)
		panics := 0
		for _, l := range lists {
			require.Error(t, l.err)
			if strings.HasPrefix(l.err.Error(), "panic: ") {
				panics++
			}
		}
		assert.Equal(t, s.etcd.reads, panics)
		s.requireNothingLeft()
	})
}

// Lists of custom resources hold a map, which one of them may change.
func TestUnstructuredListsHaveMapsOfTheirOwn(t *testing.T) {
	from, to := &unstructured.UnstructuredList{}, &unstructured.UnstructuredList{}
	from.SetResourceVersion("7")
	from.Items = make([]unstructured.Unstructured, 1)
	require.NoError(t, copyList(from, to))
	to.SetResourceVersion("8")
	to.Items[0].Object = map[string]any{}
	assert.Equal(t, "7", from.GetResourceVersion())
	assert.Nil(t, from.Items[0].Object)
}

// A list without flow control, such as one of the server's own, has no seats to exchange.
func TestAListWithoutFlowControlSharesReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newSite(t, 600)
		var sent sync.WaitGroup
		for range 50 {
			sent.Go(func() {
				assert.NoError(t, s.store.GetList(t.Context(), "/configmaps/", storage.ListOptions{}, newList()))
			})
		}
		sent.Wait()
		assert.LessOrEqual(t, s.etcd.reads, 2)
		s.requireNothingLeft()
	})
}
