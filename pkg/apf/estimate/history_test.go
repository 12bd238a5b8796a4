package estimate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

func TestUnseenListCostsThePrior(t *testing.T) {
	s := newSite(7 * megabyte)
	assert.EqualValues(t, 7*megabyte, s.estimate())
	for seen := range 2 {
		s.list(kilobyte)
		assert.EqualValues(t, 7*megabyte, s.estimate(), "after %d", seen+1)
	}
	s.list(kilobyte)
	assert.EqualValues(t, kilobyte, s.estimate(), "three lists were seen")
	s.kind.Namespaced = true
	assert.EqualValues(t, 7*megabyte, s.estimate(), "a list of another kind")
	assert.EqualValues(t, 7*megabyte, s.history.Estimate(StoredType{Resource: "secrets"}, s.kind, s.prior, s.now), "of another type")
}

// Sizes of every bucket of the histogram.
func TestEqualListsAreEstimatedAtTheirSize(t *testing.T) {
	for bytes := int64(kilobyte); bytes <= 20*megabyte; bytes += bytes / 4 {
		s := newSite(kilobyte)
		s.lists(10, bytes)
		assert.Equal(t, bytes, s.estimate())
	}
}

func TestEstimateRisesWithOneListThatIsLarger(t *testing.T) {
	for _, factor := range []int64{2, 10, 100, 10_000} {
		t.Run(fmt.Sprint(factor), func(t *testing.T) {
			s := newSite(kilobyte)
			s.lists(1_000, 200*kilobyte)
			require.Equal(t, int64(200*kilobyte), s.list(factor*200*kilobyte))
			assert.Equal(t, factor*200*kilobyte, s.estimate())
		})
	}
}

func TestEstimateFallsAfterThePromisedNumberOfLists(t *testing.T) {
	for _, test := range []struct {
		factor        int64
		one, thousand int
	}{{2, 6, 11}, {10, 11, 16}, {100, 19, 24}, {10_000, 19, 24}} {
		for before, after := range map[int]int{1: test.one, 1_000: test.thousand} {
			t.Run(fmt.Sprintf("%d lists were %d times as large", before, test.factor), func(t *testing.T) {
				s := newSite(100 * kilobyte)
				s.lists(1_000, 100*kilobyte)
				s.lists(before, test.factor*100*kilobyte)
				s.now -= time.Second // no time passes
				for k := range after {
					require.Equal(t, test.factor*100*kilobyte, s.estimate(), "after %d", k)
					s.list(100 * kilobyte)
					s.now -= time.Second
				}
				assert.EqualValues(t, 100*kilobyte, s.estimate())
			})
		}
	}
}

func TestTinyListsAmongLargeOnesDoNotMakeThemCheap(t *testing.T) {
	for _, tiny := range []int{1, 5, 10, 18} {
		t.Run(fmt.Sprintf("%d to one", tiny), func(t *testing.T) {
			s := newSite(10 * megabyte)
			s.lists(3, 10*megabyte)
			for range 100 {
				for range tiny {
					require.EqualValues(t, 10*megabyte, s.list(50*kilobyte), "the tiny ones pay too")
				}
				require.EqualValues(t, 10*megabyte, s.list(10*megabyte))
			}
		})
	}
}

// A client cannot gain by any order of its lists: what it is charged in sum is at least
// half of what it takes, without the first list that is larger than all before.
func TestListsArePaidForInAnyOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 3))
	for range 2_000 {
		s := newSite(50 * kilobyte)
		var charged, taken, largest int64
		runs := 1 + random.IntN(12)
		for range runs {
			size := int64(50*kilobyte) << random.IntN(9)
			for range 1 + random.IntN(40) {
				charged += max(s.list(size), 100*kilobyte)
				taken += size
				largest = max(largest, size)
			}
		}
		require.GreaterOrEqual(t, 2*charged, taken-largest)
	}
}

func TestEstimateIsNeverMoreThanTheLargestListOrThePrior(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 4))
	for range 500 {
		s := newSite(random.Int64N(20 * megabyte))
		largest, smallest := s.prior, s.prior
		for range 60 {
			size := int64(math.Exp(random.Float64() * 18))
			estimate := s.list(size)
			require.LessOrEqual(t, estimate, largest)
			require.GreaterOrEqual(t, estimate, smallest)
			largest, smallest = max(largest, size), min(smallest, size)
			s.now += time.Duration(random.Int64N(int64(time.Minute)))
		}
	}
}

func TestThePriorIsAFloorAgainWhenTheListsAreForgotten(t *testing.T) {
	s := newSite(5 * megabyte)
	s.lists(100, kilobyte)
	last := s.now - time.Second
	s.now = last + 9*time.Minute
	assert.EqualValues(t, kilobyte, s.estimate())
	s.now = last + 10*time.Minute + time.Second
	assert.EqualValues(t, 5*megabyte, s.estimate())
	assert.True(t, s.history.Report(s.now)[0].Floor)
}

// A large list of the day before does not count any more with the first small ones of
// today.
func TestListsAreForgottenWithTime(t *testing.T) {
	s := newSite(kilobyte)
	s.lists(100, 10*megabyte)
	s.now += 24 * time.Hour
	s.list(kilobyte)
	assert.EqualValues(t, kilobyte, s.estimate())
}

func TestThePriorIsAFloorAgainWhenMuchMoreIsStored(t *testing.T) {
	s := newSite(megabyte)
	s.lists(10, kilobyte)
	s.prior = 2 * megabyte
	assert.EqualValues(t, kilobyte, s.estimate())
	s.prior++
	assert.EqualValues(t, 2*megabyte+1, s.estimate())
	s.list(kilobyte)
	assert.EqualValues(t, kilobyte, s.estimate(), "a list was measured since")
}

func TestAListThatTakesMoreRaisesTheEstimateBeforeItEnds(t *testing.T) {
	s := newSite(kilobyte)
	s.lists(10, kilobyte)
	s.history.Raise(pods(), s.kind, 3*megabyte, s.now)
	assert.EqualValues(t, 3*megabyte, s.estimate())
	assert.EqualValues(t, 10, s.history.Report(s.now)[0].Lists, "it is not counted yet")
	s.history.Raise(pods(), s.kind, megabyte, s.now)
	s.lists(100, kilobyte)
	assert.EqualValues(t, 3*megabyte, s.estimate(), "it still executes")
	s.list(4 * megabyte)
	assert.EqualValues(t, 4*megabyte, s.estimate())
	s.lists(24, kilobyte)
	assert.EqualValues(t, kilobyte, s.estimate())
	s.kind.Limit = 1
	s.history.Raise(pods(), s.kind, megabyte, s.now)
	assert.EqualValues(t, megabyte, s.estimate(), "the first list of its kind")
}

func TestNumbersThatCannotBeDoNoHarm(t *testing.T) {
	for _, test := range []struct {
		name         string
		prior, bytes int64
		want         int64
	}{
		{"negative", -1, -1, 0},
		{"the most negative", math.MinInt64, math.MinInt64, 0},
		{"huge", math.MaxInt64, math.MaxInt64, maxBytes},
		{"a huge prior", math.MaxInt64, 5, 5},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newSite(test.prior)
			s.lists(10, test.bytes)
			assert.Equal(t, test.want, s.estimate())
			s.now -= time.Hour // a clock that jumps back
			s.lists(3, test.bytes)
			assert.Equal(t, test.want, s.estimate())
		})
	}
}

func TestWithoutCountedReadsAListThatIsEncodedWholeIsNotLowered(t *testing.T) {
	for counts, seats := range map[bool]int{true: 1, false: 10} {
		l := Learned{History: NewHistory(), Now: func() time.Duration { return 0 }, CountsReads: counts}
		read := Read{Source: FromStorage, Type: pods(), Kind: ListKind{FromStorage: true, Whole: true}}
		for range 5 {
			l.History.Observe(pods(), read.Kind, Observation{Bytes: 100 * kilobyte, Prior: megabyte}, 0)
		}
		assert.Equal(t, seats, l.Read(read, Stored{Objects: 1_000, Size: kilobyte}, 0).Work.Initial, "counts reads: %t", counts)
	}
}

func TestKindsAreTheirPlaces(t *testing.T) {
	seen := map[int]bool{}
	for _, limit := range []int64{-5, 1, 4, 16, 64, 256, math.MaxInt64} {
		for _, selector := range []Selector{NoSelector, LabelSelector, FieldSelector, BothSelectors, OneName} {
			for flags := range 8 {
				k := ListKind{FromStorage: flags&4 > 0, Namespaced: flags&2 > 0, Whole: flags&1 > 0, Selector: selector, Limit: limit}
				i := k.index()
				require.Less(t, i, kinds)
				require.True(t, !seen[i] || selector == OneName, "%+v", k)
				seen[i] = true
				back, limits := kindAt(i)
				require.Equal(t, ListKind{k.FromStorage, k.Namespaced, k.Whole, k.Selector, 0}, back)
				if selector != OneName {
					require.LessOrEqual(t, limits.Min, max(limit, 0))
					require.True(t, limits.Max == 0 || limits.Max >= limit)
				}
			}
		}
	}
	assert.Len(t, seen, 8*(4*limits+1))
}

func TestReportIsInOrderAndInWords(t *testing.T) {
	l := NewHistory()
	for _, t := range []StoredType{{"b", "x"}, {"a", "y"}, {"a", "x"}} {
		l.Observe(t, ListKind{Limit: 500}, Observation{Bytes: 5, Prior: 9, Took: time.Second}, 0)
		l.Observe(t, ListKind{}, Observation{Bytes: 5}, 0)
	}
	rows := l.Report(0)
	require.Len(t, rows, 6)
	var got []string
	for _, r := range rows {
		got = append(got, fmt.Sprint(r.Group, " ", r.Resource, " ", r.Limits, "/", r.Kind.Selector))
	}
	assert.Equal(t, []string{"a x none/none", "a x 256-1023/none", "a y none/none", "a y 256-1023/none", "b x none/none", "b x 256-1023/none"}, got)
	assert.Equal(t, LearnedRow{
		StoredType: StoredType{"a", "x"}, Limits: LimitRange{256, 1023}, Bytes: 9, Prior: 9, Lists: 1, Took: time.Second, Floor: true,
	}, rows[1])
	assert.Equal(t, "1024-", LimitRange{Min: 1024}.String())
	for selector, want := range map[Selector]string{LabelSelector: "labels", FieldSelector: "fields", BothSelectors: "labels+fields", OneName: "name"} {
		assert.Equal(t, want, selector.String())
	}
}

func TestManyGoroutinesLearnTogether(t *testing.T) {
	l := NewHistory()
	var running sync.WaitGroup
	for g := range 8 {
		running.Go(func() {
			for i := range 500 {
				k := ListKind{Limit: int64(i % 100), Namespaced: g%2 > 0}
				at := StoredType{Resource: fmt.Sprint(i % 5)}
				l.Observe(at, k, Observation{Bytes: megabyte}, time.Duration(i))
				assert.Positive(t, l.Estimate(at, k, kilobyte, time.Duration(i)))
				l.Report(time.Duration(i))
			}
		})
	}
	running.Wait()
	lists := uint64(0)
	for _, r := range l.Report(0) {
		lists += r.Lists
	}
	assert.EqualValues(t, 8*500, lists)
}

func TestEstimateDoesNotAllocate(t *testing.T) {
	s := newSite(megabyte)
	s.lists(5, kilobyte)
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.estimate() }))
	assert.Zero(t, testing.AllocsPerRun(100, func() { s.list(kilobyte) }))
}
