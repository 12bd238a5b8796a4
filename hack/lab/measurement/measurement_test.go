package measurement

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// six holds six rounds of a machine that becomes slower. In each, one side
// takes a quarter to a third of the other.
const six = `goos: linux
Unit req/s better=higher
BenchmarkGet/server=ours 10 250 ns/op 90 req/s
BenchmarkGet/server=peer 10 1000 ns/op 100 req/s
BenchmarkGet/server=ours 10 540 ns/op 110 req/s
BenchmarkGet/server=peer 10 2000 ns/op 100 req/s
BenchmarkGet/server=ours 10 870 ns/op 80 req/s
BenchmarkGet/server=peer 10 3000 ns/op 100 req/s
BenchmarkGet/server=ours 10 1400 ns/op 95 req/s
BenchmarkGet/server=peer 10 4000 ns/op 100 req/s
BenchmarkGet/server=ours 10 1350 ns/op 70 req/s
BenchmarkGet/server=peer 10 5000 ns/op 100 req/s
BenchmarkGet/server=ours 10 1680 ns/op 60 req/s
BenchmarkGet/server=peer 10 6000 ns/op 100 req/s
BenchmarkGet/server=ours 10 50 peak-B
`

func sides(unit string) (ours, peer Figure) {
	return Figure{"Get/server=ours", unit}, Figure{"Get/server=peer", unit}
}

func read(t *testing.T) Rounds {
	t.Helper()
	rounds, err := Read(strings.NewReader(six), "six")
	require.NoError(t, err)
	return rounds
}

func TestRatiosAreThoseOfTheSameRound(t *testing.T) {
	ours, peer := sides("sec/op")
	ratios, err := read(t).Ratios(ours, peer)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0.25, 0.27, 0.29, 0.35, 0.27, 0.28}, ratios, 1e-9)

	_, err = read(t).Ratios(ours, Figure{"Nobody", "sec/op"})
	require.ErrorContains(t, err, "benchmark Nobody gave no sec/op")
	_, err = read(t).Ratios(ours, Figure{"Get/server=ours", "peak-B"})
	require.ErrorContains(t, err, "in 6 rounds")
}

func TestARowSaysWhetherTheIntervalIsAsWanted(t *testing.T) {
	ours, peer := sides("sec/op")
	for wanted, end := range map[float64]string{
		0.36: "| 0.015 | ≤ 0.36 | yes |\n", 0.28: "| ≤ 0.28 | as good as |\n", 0.24: "| ≤ 0.24 | **no** |\n", 0: "| 0.015 |  |  |\n",
	} {
		row, err := read(t).Row(Comparison{"a get", ours, peer, wanted})
		require.NoError(t, err)
		assert.True(t, strings.HasPrefix(row.String(), "| a get | 1.110µs | 3.500µs | 0.275 | 0.25 to 0.35 | "), row)
		assert.True(t, strings.HasSuffix(row.String(), end), row)
	}
}

func TestMoreIsBetterOfARate(t *testing.T) {
	ours, peer := sides(PerSecond)
	for wanted, end := range map[float64]string{0.5: "| ≥ 0.5 | yes |\n", 1: "| ≥ 1 | as good as |\n", 1.2: "| ≥ 1.2 | **no** |\n"} {
		row, err := read(t).Row(Comparison{"gets", ours, peer, wanted})
		require.NoError(t, err)
		assert.True(t, strings.HasSuffix(row.String(), end), row)
	}
}

func TestAFigureAloneIsComparedWithWhatIsWantedOfIt(t *testing.T) {
	ours, _ := sides("sec/op")
	row, err := read(t).Row(Comparison{What: "a get", Ours: ours, Wanted: 2e-6})
	require.NoError(t, err)
	assert.Equal(t, "| a get | 1.110µs |  |  | 250.0ns to 1.680µs |  | ≤ 2.000µs | yes |\n", row.String())
}

func TestOneRoundHasNoVerdict(t *testing.T) {
	row, err := read(t).Row(Comparison{What: "memory", Ours: Figure{"Get/server=ours", "peak-B"}, Wanted: 100})
	require.NoError(t, err)
	assert.Equal(t, Row{"memory", "50.00B", "", "", "too few rounds", "", "≤ 100.0B", "too few rounds"}, row)
}

func TestWhatIsLoggedIsRead(t *testing.T) {
	log, err := NewLog(filepath.Join(t.TempDir(), "log.txt"))
	require.NoError(t, err)
	require.NoError(t, log.Add("a list", 7, Values{"p50-sec": 0.25, PerSecond: 4}))
	require.NoError(t, log.Add("a list", 7, Values{"p50-sec": 0.5, PerSecond: 2}))
	_, err = log.WriteString("BenchmarkOther-2 10 5 ns/op\n")
	require.NoError(t, err)
	rounds, err := log.Rounds()
	require.NoError(t, err)

	values, err := rounds.Of(Figure{"a list", "p50-sec"})
	require.NoError(t, err)
	assert.Equal(t, []float64{0.25, 0.5}, values)
	assert.Equal(t, []float64{5e-9}, rounds.All("sec/op"))
	assert.Positive(t, rounds.units.GetBetter(PerSecond))

	_, err = Read(strings.NewReader("BenchmarkOther-2 10 fast\n"), "a file")
	require.ErrorContains(t, err, "a file:1")
}

func TestValuesAreShownWithAPrefix(t *testing.T) {
	assert.Equal(t, "2.230ms", Format(0.00223, "p50-sec"))
	assert.Equal(t, "79.00MiB", Format(79<<20, "peak-B"))
	assert.Equal(t, "1.087k/s", Format(1087, PerSecond))
	assert.Equal(t, "157.0µs", Format(157, "us-slowest"))
	assert.Equal(t, "3", Format(3, "allocs/op"))
}

func TestQuantiles(t *testing.T) {
	hundred := make([]int, 0, 100)
	for n := 100; n > 0; n-- {
		hundred = append(hundred, n)
	}
	assert.Equal(t, 50, Quantile(hundred, 0.5))
	assert.Equal(t, 99, Quantile(hundred, 0.99))
	assert.Equal(t, 1, Quantile(hundred, 0))
	assert.Equal(t, 100, Quantile(hundred, 1))
	assert.Equal(t, 7, Quantile([]int{7}, 0.99))
}
