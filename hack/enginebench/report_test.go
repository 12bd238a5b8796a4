package main

import (
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// output is that of three rounds of go test, with what the library logs.
const output = `
BenchmarkUncontended/ours-2  1000  250 ns/op  0 allocs/op
BenchmarkUncontended/peer-2  I1121 12:00:00 something is logged
 1000  1000 ns/op  56 allocs/op
BenchmarkUncontended/ours-2  1000  300 ns/op  0 allocs/op
BenchmarkUncontended/peer-2  1000  1500 ns/op  56 allocs/op
BenchmarkUncontended/ours-2  1000  900 ns/op  3 allocs/op
BenchmarkUncontended/peer-2  1000  3000 ns/op  56 allocs/op
`

func TestRatiosAreThoseOfTheSameRound(t *testing.T) {
	f := figures{}
	f.read(output)
	ratio, err := f.ratio(ns("Uncontended/ours-2"), ns("Uncontended/peer-2"))
	require.NoError(t, err)
	require.Equal(t, spread{low: 0.2, median: 0.25, high: 0.3}, spreadOf([]float64{0.3, 0.2, 0.25}))
	require.Equal(t, spread{low: 0.2, median: 0.25, high: 0.3}, ratio)

	_, err = f.ratio(ns("Uncontended/ours-2"), ns("Exempt/peer-2"))
	require.ErrorContains(t, err, "Exempt/peer-2 0 times ns/op")
}

func TestALineSaysWhetherWhatIsWantedIsReached(t *testing.T) {
	f := figures{}
	f.read(output)
	for most, verdict := range map[float64]string{0.31: "yes", 0.26: "as good as", 0.21: "as good as", 0.19: "**no**"} {
		line, err := f.line(row{what: "it", ours: ns("Uncontended/ours-2"), theirs: ns("Uncontended/peer-2"), most: most, mostAllocs: 0})
		require.NoError(t, err)
		require.Regexp(t, `^\| it \| 300 ns \| 1500 ns \| 0.250 \| 0.200 to 0.300 \| ≤ .* \| 0 \| `+regexp.QuoteMeta(verdict)+` \|\n$`, line)
	}
	line, err := f.line(row{what: "it", ours: ns("Uncontended/peer-2"), most: 1499, mostAllocs: -1})
	require.NoError(t, err)
	require.Equal(t, "| it | 1500 ns |  |  |  |  |  | **no** |\n", line)

	line, err = f.line(row{what: "it", ours: ns("Uncontended/peer-2"), most: 1501, mostAllocs: 55})
	require.NoError(t, err)
	require.Contains(t, line, "| 56 | **no** |", "too many allocations")
}
