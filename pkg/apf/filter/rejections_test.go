package filter

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestRetryAfterIsRoundedSoThatItIsRightOnAverage(t *testing.T) {
	seen := map[int]int{}
	for range 10_000 {
		seen[seconds(7*time.Second+250*time.Millisecond)]++
	}
	assert.Len(t, seen, 2)
	assert.InDelta(t, 7500, seen[7], 500)
	assert.Equal(t, 1, seconds(0), "HTTP has whole seconds")
}
