package storage

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

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
