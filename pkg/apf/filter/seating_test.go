package filter

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/authentication/user"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

var configMaps = schema.GroupResource{Resource: "configmaps"}

// bigLists makes lists cost ten seats from the watch cache and forty from etcd.
func (s *site) bigLists() {
	s.options.ListCost = estimate.CostBySize
	s.options.Objects = func(string) (int64, error) { return 4000, nil }
	s.options.Sizes = func(string) int64 { return 1000 }
}

func vacate(t *testing.T, s *Seating) (done func()) {
	t.Helper()
	done, err := s.Vacate()
	require.NoError(t, err)
	return done
}

func TestAListExchangesItsSeats(t *testing.T) {
	s := newSite(t, queueset.Queue, 600)
	s.bigLists()
	s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
		inUse := func() int { return s.figures("tested").SeatsInUse }
		seating := SeatingOf(r.Context())
		assert.False(t, seating.FromStorage(true))
		assert.Equal(t, 10, inUse())
		done := vacate(t, seating)
		assert.Zero(t, inUse())
		seated, err := seating.AskForStorage(r.Context(), configMaps, true, nil)
		assert.NoError(t, err)
		assert.True(t, seated)
		assert.Equal(t, 40, inUse())
		seating.Return()
		assert.NoError(t, seating.AskAgain(r.Context()))
		assert.Equal(t, 10, inUse())
		done()
	}), requestBy(nobody, "list", "resourceVersion=0"))
	s.requireIdle()
	assert.EqualValues(t, 3, s.series("everybody").Dispatched, "each time it asked")
}

// A resource may be stored under another name than its URL has, and a request may list several.
func TestAListAsksForTheSeatsOfTheResourceThatItReads(t *testing.T) {
	s := newSite(t, queueset.Queue, 600)
	s.bigLists()
	s.options.Objects = func(groupResource string) (int64, error) {
		if groupResource == "events" {
			return 4000, nil
		}
		return 0, fcrequest.ObjectCountNotFoundErr
	}
	s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
		seating := SeatingOf(r.Context())
		assert.Equal(t, 1, s.figures("tested").SeatsInUse)
		defer vacate(t, seating)()
		_, err := seating.AskForStorage(r.Context(), schema.GroupResource{Resource: "events"}, true, nil)
		assert.NoError(t, err)
		assert.Equal(t, 40, s.figures("tested").SeatsInUse)
	}), requestBy(nobody, "list", "resourceVersion=0"))
	s.requireIdle()
}

// Lists above MaxVacant are rejected as if their queues were full, whatever they were rejected
// for before.
func TestAListOfAFlowThatHasTooManyIsToldSo(t *testing.T) {
	s := newSite(t, queueset.Queue, 1)
	s.options.Explain, s.options.Serializer = func(context.Context, user.Info) bool { return true }, codecs()
	s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
		seating := SeatingOf(r.Context())
		done := vacate(t, seating)
		release := s.busy()
		gone, cancel := context.WithCancel(r.Context())
		cancel()
		_, err := seating.AskForStorage(gone, configMaps, true, nil)
		assert.ErrorIs(t, err, context.Canceled)
		done()
		release()
		seating.lists.vacant.lists = map[flowID]int{flowOf(seating.apf): MaxVacant}
		_, err = seating.Vacate()
		assert.ErrorContains(t, seating.ErrorOf(err), `"everybody": queue-full`)
	}), requestBy(nobody, "list", "resourceVersion=0"))
	s.requireIdle()
}

func TestListsOfEachFlowAndLevelAreCountedUntilTheyEnd(t *testing.T) {
	one, other, elsewhere := flowID{level: "level", flow: "one"}, flowID{level: "level", flow: "other"}, flowID{level: "elsewhere"}
	const most = MaxVacant + 1
	var v vacant
	for range MaxVacant {
		require.True(t, v.add(one, most))
	}
	require.False(t, v.add(one, most))
	require.True(t, v.add(other, most))
	require.False(t, v.add(flowID{level: "level", flow: "a new name"}, most), "no number of names has more")
	require.True(t, v.add(elsewhere, most))
	for range MaxVacant - 1 {
		v.remove(one)
	}
	require.Equal(t, map[flowID]int{one: 1, other: 1, elsewhere: 1}, v.lists)
	for _, of := range []flowID{one, other, elsewhere} {
		v.remove(of)
	}
	require.Empty(t, v.lists)
	require.Empty(t, v.levels)
}

func TestOnlyListsHaveASeating(t *testing.T) {
	s := newSite(t, queueset.Queue, 600)
	for verb, has := range map[string]bool{"list": true, "get": false, "create": false, "deletecollection": false} {
		s.ask(s.before(func(_ http.ResponseWriter, r *http.Request) {
			assert.Equal(t, has, SeatingOf(r.Context()) != nil, verb)
		}), requestBy(nobody, verb, ""))
	}
	none := SeatingOf(context.Background())
	assert.False(t, none.FromStorage(true))
	vacate(t, none)()
	none.Return()
	seated, err := none.AskForStorage(context.Background(), configMaps, true, nil)
	assert.True(t, seated)
	assert.NoError(t, err)
	assert.NoError(t, none.AskAgain(context.Background()))
}

// A list that withdraws was not rejected.
func TestAListThatNeedsNoSeatsAnyMoreIsNotCountedAsRejected(t *testing.T) {
	s := newSite(t, queueset.Queue, 1)
	release := s.busy()
	defer release()
	r := s.engine.Begin()
	defer r.End()
	r.Attributes = flow.Attributes{User: nobody, Verb: "list", Resource: "configmaps", IsResourceRequest: true}
	r.Classify()
	assert.Equal(t, queueset.Waiting, r.Arrive(estimate.One()))
	unneeded := make(chan struct{})
	close(unneeded)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	assert.Equal(t, queueset.Unneeded, r.Wait(ctx, unneeded))
	series := s.series("everybody")
	assert.Equal(t, [queueset.Reasons]uint64{}, series.Rejected)
	assert.Zero(t, series.WaitRejected.Count())
	assert.Zero(t, s.figures("tested").Waiting)
}

// A read from etcd is learned as one, not as a read from the watch cache. A list that gets the
// result of another is learned as what it was.
func TestAListThatReadsEtcdIsLearnedAsOne(t *testing.T) {
	for _, reads := range []bool{true, false} {
		s := newSite(t, queueset.Queue, 600)
		s.bigLists()
		s.options.ListCost, s.options.CountsReads, s.options.History = estimate.CostLearned, true, estimate.NewHistory()
		s.ask(s.before(func(w http.ResponseWriter, r *http.Request) {
			seating := SeatingOf(r.Context())
			defer vacate(t, seating)()
			_, err := seating.AskForStorage(r.Context(), configMaps, true, nil)
			assert.NoError(t, err)
			if reads {
				CountRead(r.Context(), 3_000_000)
				assert.Empty(t, s.options.History.Report(s.engine.Now()), "no more than a list from etcd is expected to take")
				CountRead(r.Context(), 6_000_000)
			} else {
				seating.Return()
				assert.NoError(t, seating.AskAgain(r.Context()))
			}
			_, err = w.Write([]byte("{}"))
			assert.NoError(t, err)
		}), requestBy(nobody, "list", "resourceVersion=0"))
		kinds := map[bool]int{}
		for _, kind := range s.options.History.Report(s.engine.Now()) {
			kinds[kind.Kind.FromStorage]++
		}
		assert.Equal(t, map[bool]int{reads: 1}, kinds)
	}
}
