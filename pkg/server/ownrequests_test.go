//go:build !race

// See example_test.go for the library's race.

package server

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// What a server requests from itself on startup, on the level exempt, took up to 31 seats from the
// other levels.
func TestStartTakesNoSeats(t *testing.T) {
	s := startClocked(t, nil)
	s.flowControl.Engine().Rebalance()
	levels := s.flowControl.Engine().Levels()
	exempt := slices.IndexFunc(levels, func(level engine.LevelReport) bool { return level.Config.Name == rules.Exempt })
	require.NotZero(t, levels[exempt].Figures.Totals.Dispatched)
	require.Zero(t, levels[exempt].Period.HighWatermark)
}
