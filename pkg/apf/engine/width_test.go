package engine_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

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
