package scrape_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

const first = `
# TYPE wait_seconds histogram
wait_seconds_bucket{who="mouse",le="+Inf"} 2
wait_seconds_sum{who="mouse"} 1
wait_seconds_count{who="mouse"} 2
wait_seconds_bucket{who="elephant",le="+Inf"} 1
wait_seconds_sum{who="elephant"} 9
wait_seconds_count{who="elephant"} 1
# TYPE other_total counter
other_total 3
`

const second = `
# TYPE wait_seconds histogram
wait_seconds_bucket{who="mouse",le="+Inf"} 6
wait_seconds_sum{who="mouse"} 3
wait_seconds_count{who="mouse"} 6
`

func TestAMeanIsOfTheTimeBetweenTwoScrapes(t *testing.T) {
	before, err := scrape.Parse(first, "wait")
	require.NoError(t, err)
	after, err := scrape.Parse(second, "wait")
	require.NoError(t, err)
	growth := after.Since(before)
	assert.Equal(t, 500*time.Millisecond, growth.Mean("wait_seconds", `who="mouse"`))
	assert.Zero(t, growth.Mean("wait_seconds", `who="nobody"`))
	assert.InDelta(t, 3, before.Sum("wait_seconds_count"), 0)
	assert.Zero(t, before.Sum("other_total"), "it was left out")
}

func TestWhatIsNoExpositionIsAnError(t *testing.T) {
	_, err := scrape.Parse("no { metrics", "")
	assert.Error(t, err)
}
