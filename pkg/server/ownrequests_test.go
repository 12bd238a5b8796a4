//go:build !race

// See example_test.go for the library's race.

package server

import (
	"context"
	"errors"
	"net"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// What a server asks of itself at a start, on the level exempt, took up to 31 seats from the
// other levels.
func TestStartTakesNoSeats(t *testing.T) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	config := NewConfig()
	config.DataDir = t.TempDir()
	config.SecureServing.Listener = listener
	s, err := New(t.Context(), config.Complete())
	require.NoError(t, err)
	defer s.Close()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		defer stop() // or a failed server would be waited for
		ended <- s.Run(ctx)
	}()
	ready := s.WaitReady(ctx)
	s.flowControl.Engine().Rebalance()
	levels := s.flowControl.Engine().Levels()
	stop()
	require.NoError(t, errors.Join(ready, <-ended))

	exempt := slices.IndexFunc(levels, func(level engine.LevelReport) bool { return level.Config.Name == rules.Exempt })
	require.NotZero(t, levels[exempt].Figures.Totals.Dispatched)
	require.Zero(t, levels[exempt].Period.HighWatermark)
}
