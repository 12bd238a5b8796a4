package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestQuantiles(t *testing.T) {
	hundred := make([]int, 0, 100)
	for n := 100; n > 0; n-- {
		hundred = append(hundred, n)
	}
	assert.Equal(t, 50, median(hundred))
	assert.Equal(t, 99, quantile(hundred, 0.99))
	assert.Equal(t, 1, quantile(hundred, 0))
	assert.Equal(t, 100, quantile(hundred, 1))
	assert.Equal(t, 2, median([]int{3, 1, 2}))
	assert.Equal(t, 7, quantile([]int{7}, 0.99))
}

func TestRowSaysWhetherItsTargetIsReached(t *testing.T) {
	for _, test := range []struct {
		name string
		row  row
		want string
	}{
		{
			"less time than wanted in every round",
			row{what: "a", ours: []float64{0.5, 0.4}, theirs: []float64{2, 2}, unit: seconds, target: 0.33},
			"| a | 400 ms | 2.00 s | 0.20 | 0.20 to 0.25 | ≤ 0.33 | yes |\n",
		},
		{
			"more time than wanted in every round",
			row{what: "a", ours: []float64{1, 1}, theirs: []float64{2, 2}, unit: seconds, target: 0.33},
			"| a | 1.00 s | 2.00 s | 0.50 | 0.50 to 0.50 | ≤ 0.33 | **no** |\n",
		},
		{
			"a higher rate in every round",
			row{what: "a", ours: []float64{300, 400}, theirs: []float64{200, 200}, unit: perSecond, target: 1},
			"| a | 300 /s | 200 /s | 1.50 | 1.50 to 2.00 | ≥ 1.00 | yes |\n",
		},
		{
			"a rate that is now higher, now lower",
			row{what: "a", ours: []float64{90, 110, 100, 80}, theirs: []float64{100, 100, 90, 100}, unit: perSecond, target: 1},
			"| a | 90 /s | 100 /s | 0.90 | 0.80 to 1.10 | ≥ 1.00 | as good as |\n",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			assert.Equal(t, test.want, test.row.String())
		})
	}
}

func TestResidentMemoryIsReadInMebibytes(t *testing.T) {
	got, err := parseMemory([]byte("Name:\tetcd\nVmHWM:\t   61440 kB\nVmRSS:\t   51200 kB\nThreads:\t9\n"), "VmRSS")
	require.NoError(t, err)
	assert.InDelta(t, 50, got, 1e-9)
	_, err = parseMemory([]byte("Name:\tetcd\n"), "VmRSS")
	require.ErrorContains(t, err, "has ended")

	own, err := residentMemory(os.Getpid())
	require.NoError(t, err)
	assert.Greater(t, own, 1.0)
}

func TestEventCountsOnceForEachWatcher(t *testing.T) {
	all := make(chan struct{})
	a := &audience{mark: "mark-1", missing: 2, all: all}
	first := a.read([]byte("{mark-0}"), "")
	assert.Empty(t, first, "another event")
	first = a.read([]byte("{mark-1}"), first)
	first = a.read([]byte("{mark-1, status}"), first)
	assert.Equal(t, 1, a.missing, "the first watcher's second event")
	select {
	case <-all:
		t.Fatal("the second watcher has read nothing")
	default:
	}
	second := a.read([]byte("{mark-1}"), "")
	<-all
	assert.Equal(t, first, second)
}
