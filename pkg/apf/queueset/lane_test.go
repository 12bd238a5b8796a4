package queueset

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Others get a quarter of 10 seats at least. Of the rest, fresh newcomers get the part of the weights
// without the ones that stay: 2 of 8.
func TestFreshNewcomersAreLentTheirPartAlone(t *testing.T) {
	s := &schedule{works: 100, active: 8, activeWeight: 8, staying: 6}
	s.advance(time.Second, 10, 10)
	require.InDelta(t, 7.5, s.newcomers.credit, 1e-9)
	require.InDelta(t, 2.5, s.newcomers.fresh, 1e-9)
}
