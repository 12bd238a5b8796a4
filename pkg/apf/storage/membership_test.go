package storage

import (
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
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
