package filter

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

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

// Statistics that were learned with go stale: the most is charged until they are available again.
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
