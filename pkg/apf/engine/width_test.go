package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

func TestMaxWidthIsFifteenPercentOrAHandsPartAndOneAtLeast(t *testing.T) {
	f := newFixture(t, 1000)
	for _, c := range []struct{ shares, hand, expected int }{{95, 2, 143}, {95, 8, 118}, {1, 2, 26}, {995, 8, 124}, {0, 8, 1}} {
		level := queuing("a", int32(c.shares))
		level.HandSize = c.hand
		f.apply(engine.Configuration{Levels: []engine.LevelConfig{level}})
		got, _ := f.level("a")
		assert.Equal(t, c.expected, f.engine.MaxWidth("a"), "%d nominal, hands of %d", got.Limits.Nominal, c.hand)
	}
	assert.Zero(t, f.engine.MaxWidth("catch-all"))
	assert.Zero(t, f.engine.MaxWidth("none"))
}

func TestSeatsThatALevelLendsDoNotNarrowItsRequests(t *testing.T) {
	f := newFixture(t, 100)
	lender := queuing("lender", 95)
	lender.LendablePercent = 100
	f.apply(engine.Configuration{Levels: []engine.LevelConfig{lender}})
	f.engine.Rebalance()
	level, _ := f.level("lender")
	require.Equal(t, 95, level.Limits.Nominal)
	require.Less(t, level.Seats.Current, 95)
	assert.Equal(t, 15, f.engine.MaxWidth("lender"), "15 % of the nominal limit")
}
