package engine_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

// newLending returns a fixture of 100 seats, with a level that lends most of its seats, and one beside it.
func newLending(t *testing.T) *fixture {
	t.Helper()
	f := newFixture(t, 100)
	lender, borrower := queuing("lender", 50), queuing("borrower", 45)
	lender.LendablePercent = 80
	f.apply(engine.Configuration{
		Levels:  []engine.LevelConfig{lender, borrower},
		Schemas: []rules.Schema{schemaOf("lender", "lender", 10), schemaOf("borrower", "borrower", 10)},
	})
	return f
}

func TestSeatsAreBorrowedByThoseWhoAskForMore(t *testing.T) {
	f := newLending(t)
	report := func(name string) engine.LevelReport { r, _ := f.level(name); return r }
	assert.Equal(t, 10, report("lender").Limits.Lower)
	var held []*engine.Request
	for range report("borrower").Seats.Current {
		held = append(held, f.admit("borrower"))
	}
	f.reject("borrower")
	f.clock.Advance(10 * time.Second)
	f.engine.Rebalance()
	assert.Greater(t, report("borrower").Seats.Current, len(held))
	sum := 0
	for _, l := range f.engine.Report().Levels {
		sum += l.Seats.Current
		assert.LessOrEqual(t, l.Limits.Upper, 100, "issue 129086: the upper limit is at most the total")
	}
	assert.LessOrEqual(t, sum, 100+len(f.engine.Report().Levels))
	extra := f.admit("borrower")
	f.clock.Advance(time.Millisecond)
	extra.Finish()
	f.clock.Advance(time.Millisecond)
	for _, request := range held {
		request.Finish()
	}
	f.clock.Advance(time.Second)
	f.engine.Rebalance()
	assert.Equal(t, len(held), report("borrower").Period.HighWatermark-1, "issue 120032: the mark is of the whole period, its start included")
	f.clock.Advance(10 * time.Second)
	f.engine.Rebalance()
	assert.Zero(t, report("borrower").Period.HighWatermark)
	assert.Zero(t, report("borrower").Period.Average)
}

func TestWhatWasLentIsBackTwoDivisionsAfterAStorm(t *testing.T) {
	f := newLending(t)
	limits := func() (lender, borrower int) {
		l, _ := f.level("lender")
		b, _ := f.level("borrower")
		return l.Seats.Current, b.Seats.Current
	}
	divide := func() {
		f.clock.Advance(10 * time.Second)
		f.engine.Rebalance()
	}
	ask := func(level string, n int) (asking []*engine.Request) {
		for range n {
			r := f.classified(level)
			r.Decided = func() {}
			require.NotEqual(t, queueset.Rejected, r.Arrive(seats.Work{Initial: 1}))
			asking = append(asking, r)
		}
		return asking
	}
	finish := func(asked []*engine.Request) {
		for _, r := range asked {
			r.Finish() // those who wait are dispatched by then
		}
	}
	usual := ask("lender", 50)
	divide()
	lenders, borrowers := limits()
	finish(usual)
	storm := ask("borrower", 130)
	divide()
	divide()
	_, most := limits()
	require.Greater(t, most, borrowers+20, "it borrows")
	finish(storm)
	ask("lender", 50)
	divide()
	divide()
	l, b := limits()
	assert.Equal(t, lenders, l)
	assert.Equal(t, borrowers, b)
}

func TestAnExemptLevelsUseIsTakenOffTheTop(t *testing.T) {
	f := newFixture(t, 100)
	lender := queuing("a", 95)
	lender.LendablePercent = 90
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{lender}, Schemas: []rules.Schema{schemaOf("a", "a", 10)}})
	before, _ := f.level("a")
	for range 40 {
		request := f.classified("admin", "system:masters")
		require.True(t, request.Admit(context.Background(), seats.Work{Initial: 1}, nil))
	}
	f.clock.Advance(10 * time.Second)
	f.engine.Rebalance()
	exempt, _ := f.level("exempt")
	after, _ := f.level("a")
	assert.Equal(t, 40, exempt.Seats.Current)
	assert.Less(t, after.Seats.Current, before.Seats.Current)
}
