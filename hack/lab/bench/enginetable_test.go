package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

func TestTooManyAllocationsMissWhatIsWanted(t *testing.T) {
	round := "BenchmarkUncontended/ours 1000 250 ns/op 2 allocs/op\nBenchmarkUncontended/peer 1000 1000 ns/op 56 allocs/op\n"
	measured, err := measurement.Read(strings.NewReader(strings.Repeat(round, 6)), "six rounds")
	require.NoError(t, err)
	for most, end := range map[float64]string{2: "| ≤ 0.5 | 2 | yes |\n", 1: "| ≤ 0.5 | 2 | **no** |\n", anyNumber: "| ≤ 0.5 |  | yes |\n"} {
		line, err := row{"it", perOp("Uncontended/ours"), perOp("Uncontended/peer"), 0.5, most}.line(measured)
		require.NoError(t, err)
		require.Equal(t, "| it | 250.0ns | 1.000µs | 0.25 | 0.25 to 0.25 | 0.002 "+end, line.String())
	}
	_, err = row{"it", perOp("Nobody"), perOp("Uncontended/peer"), 0.5, anyNumber}.line(measured)
	require.ErrorContains(t, err, "benchmark Nobody gave no sec/op")
}
