package storage

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apiserver/pkg/storage"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// TestNoTwoListsWaitForEachOther looks in virtual time for lists that wait for each other,
// and for results that are too old: with few seats, short queues, clients that leave, errors,
// a total and levels that change, exempt lists, and requests that read two resources at once. Whatever
// waits in vain would do so until its deadline, since etcd answers within seconds and no
// request keeps its seats for longer.
func TestNoTwoListsWaitForEachOther(t *testing.T) {
	seed := lane.Seed(t)
	var all outcomes
	for round := range lane.Pick[uint64](60, 2000) {
		synctest.Test(t, func(t *testing.T) {
			search(t, rand.New(rand.NewPCG(seed, round)), &all)
		})
	}
	assert.Positive(t, all.succeeded)
	assert.Positive(t, all.rejected)
	assert.Positive(t, all.left)
	assert.Positive(t, all.failed)
	assert.Positive(t, all.shared)
}

// outcomes counts what became of lists.
type outcomes struct{ succeeded, rejected, left, failed, shared int }

func search(t *testing.T, random *rand.Rand, all *outcomes) {
	s := newSite(t, 1+random.IntN(100))
	s.configure(1+random.IntN(30), "c", "d")
	var sent sync.WaitGroup
	lists := make([]*searched, 40)
	for i := range lists {
		l := s.randomList(random)
		lists[i] = l
		sent.Go(func() { l.send(s) })
	}
	disturb(s, random)
	sent.Wait()
	for _, l := range lists {
		l.judge(t, all)
	}
	all.shared += int(testutil.ToFloat64(s.reads.total.WithLabelValues(configMaps.String(), shared)))
	assert.Equal(t, 1, s.etcd.most, "identical reads at once")
	s.requireNothingLeft()
}

// disturb writes, changes the total and makes etcd fail, for ten seconds.
func disturb(s *site, random *rand.Rand) {
	for range 20 {
		<-time.After(500 * time.Millisecond)
		s.etcd.write()
		switch random.IntN(8) {
		case 0:
			s.engine.SetTotal(1 + random.IntN(100))
		case 1:
			s.etcd.fail(errOfEtcd)
		case 2:
			s.etcd.fail(nil)
		case 3: // lists may be without seats when their level goes
			s.configure(1+random.IntN(30), []string{"c", "d"}[random.IntN(3):]...)
		}
	}
	s.etcd.fail(nil)
}

func (e *etcd) fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.err = err
}

// searched is a list that arrives at a random time and may leave.
type searched struct {
	list

	arrives, leaves time.Duration // leaves is 0 if it does not
	revision        int           // the latest when it asks its storage
}

// randomList returns a list with one of three identities, or of two resources at once.
func (s *site) randomList(random *rand.Rand) *searched {
	l := &searched{arrives: time.Duration(random.IntN(100)) * 100 * time.Millisecond}
	l.user = []string{"a", "b", "c", "d", "master"}[random.IntN(5)]
	if random.IntN(5) == 0 {
		l.leaves = time.Duration(1+random.IntN(40)) * 100 * time.Millisecond
	}
	if random.IntN(5) == 0 {
		l.deadline = time.Duration(1+random.IntN(60)) * 100 * time.Millisecond
	}
	if random.IntN(10) == 0 {
		l.verb = "deletecollection" // keeps its seat
	}
	keys := []string{fmt.Sprintf("/configmaps/%d/", random.IntN(3))}
	if random.IntN(5) == 0 {
		keys = append(keys, "/secrets/")
	}
	encode := time.Duration(random.IntN(3)) * 100 * time.Millisecond
	l.read = func(ctx context.Context) error { return l.readAll(ctx, s, keys, encode) }
	return l
}

func (l *searched) readAll(ctx context.Context, s *site, keys []string, encode time.Duration) error {
	l.revision = s.etcd.latest()
	errs := make([]error, len(keys))
	var reading sync.WaitGroup
	for i, key := range keys {
		into := newList()
		if i == 0 {
			into = &l.result
		}
		reading.Go(func() { errs[i] = s.store.GetList(ctx, key, storage.ListOptions{Recursive: true}, into) })
	}
	reading.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	select {
	case <-time.After(encode):
	case <-ctx.Done():
	}
	return nil
}

func (l *searched) send(s *site) {
	<-time.After(l.arrives)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if l.leaves > 0 {
		context.AfterFunc(withTimer(ctx, l.leaves), cancel)
	}
	s.send(ctx, &l.list)
}

// withTimer returns a context that ends after d, or with ctx.
func withTimer(ctx context.Context, d time.Duration) context.Context {
	timer, cancel := context.WithTimeout(ctx, d)
	context.AfterFunc(timer, cancel)
	return timer
}

// judge requires that the list ended for a reason, in time, and with nothing too old.
func (l *searched) judge(t *testing.T, all *outcomes) {
	t.Helper()
	require.Less(t, l.took, requestTimeout, "it waited in vain: %v", l.err)
	require.LessOrEqual(t, l.took, l.deadline, "it executed reads for others")
	switch {
	case l.status == 429 || apierrors.IsTooManyRequests(l.err):
		all.rejected++
	case l.leaves > 0 && l.err != nil, apierrors.IsTimeout(l.err):
		all.left++
	case l.err != nil:
		require.ErrorIs(t, l.err, errOfEtcd)
		all.failed++
	default:
		all.succeeded++
		assertSound(t, &l.list, l.revision)
	}
}
