package storage

import (
	"context"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Three lists end at the very moment when the read before theirs does. One of them may get its
// seats at that moment, but does not execute the read for the one that remains.
func TestAListThatHasLeftDoesNotExecute(t *testing.T) {
	for range 100 { // the scheduler decides what comes first
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t, 600)
			s.etcd.write()
			var sent sync.WaitGroup
			sent.Go(func() { s.send(t.Context(), &list{user: "before"}) })
			synctest.Wait()
			for i := range 3 {
				sent.Go(func() { s.send(t.Context(), &list{user: strconv.Itoa(i), deadline: readTime}) })
			}
			other := &list{user: "other"}
			sent.Go(func() { s.send(t.Context(), other) })
			sent.Wait()
			assertSound(t, other, 2)
			s.requireNothingLeft()
		})
	}
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
	for range 20 { // the scheduler decides which of the two reads
		testAReadOutlivesItsClient(t)
	}
}

func testAReadOutlivesItsClient(t *testing.T) {
	t.Helper()
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
		begun := time.Now()
		leave()
		synctest.Wait()
		assert.ErrorIs(t, one.err, context.Canceled)
		assert.Zero(t, time.Since(begun), "it does not read on for the other")
		assert.Equal(t, storageSeats, s.figures().SeatsInUse, "the read has its seats")
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
			assert.Equal(t, short.deadline, short.took, "whether it reads for the other or not")
			assertSound(t, long, 1)
			sent.Wait()
			s.requireNothingLeft()
		})
	}
}
