package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

func TestACaseIsComparedWithMiceAloneInTheSameRound(t *testing.T) {
	var results strings.Builder
	for round := 1; round <= 6; round++ {
		for _, s := range settings() {
			for i, c := range cases() {
				fmt.Fprintf(&results, "Benchmark%s 1 %d p99-sec 0.001 p50-sec 3 rejected\n", benchmark(s, c), round*(i+1))
			}
		}
	}
	measured, err := measurement.Read(strings.NewReader(results.String()), "six rounds")
	require.NoError(t, err)
	text, err := report(measured, 6)
	require.NoError(t, err)
	assert.Contains(t, text, "| mice alone, pkg/apf | 1.000ms | 3.500s | 1.0 | 1 to 1 |  |  | 3 |  |\n")
	assert.Contains(t, text, "| elephant and mice, flow control off | 1.000ms | 14.00s | 4.0 | 4 to 4 |  |  | 3 |  |\n")
}
