package main

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLagsAreCountedToTheMillisecond(t *testing.T) {
	lags := &lagCounts{}
	for i := range 100 {
		lags.add(time.Duration(i) * time.Millisecond)
	}
	lags.add(time.Hour)
	require.InDelta(t, 0.050, lags.quantile(0.5), 1e-9)
	require.InDelta(t, 0.099, lags.quantile(0.99), 1e-9)
	require.InDelta(t, 120, lags.quantile(1), 1e-9)
}

func TestACrowdCountsTheEventsOfWritesThatItReads(t *testing.T) {
	c := &crowd{read: make([]atomic.Int64, 2)}
	sent := time.Now().UnixNano()
	c.note(0, fmt.Appendf(nil, `{"f:bench-sent":{},"bench-sent":"%d"}`, sent))
	c.note(0, fmt.Appendf(nil, `{"bench-sent":"%d","other":1}`, sent))
	c.note(1, []byte(`{"bench":"x"}`))
	require.EqualValues(t, 2, c.events.Load())
	require.EqualValues(t, 1, c.behind(2))
	require.EqualValues(t, 2, c.missing(2))
	require.EqualValues(t, 0, c.missing(0))
}
