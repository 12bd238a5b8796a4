package main

import (
	"encoding/json"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSlopeIsThatOfTheLineOfLeastSquares(t *testing.T) {
	rise, within, err := slope([]float64{0, 0.5, 1, 1.5}, []float64{10, 12, 12, 14})
	require.NoError(t, err)
	require.InDelta(t, 2.4, rise, 1e-9)
	require.InDelta(t, 2*math.Sqrt(0.8/2/1.25), within, 1e-9, "0.8 is the sum of the squares of what the line leaves, 1.25 of the times")
	for _, few := range [][]float64{{1, 2}, {1, 1, 1}} {
		_, _, err = slope(few, few)
		require.ErrorIs(t, err, errTooFew)
	}
}

func TestReportIsAboutTheSecondHalfAndBothKindsOfTraffic(t *testing.T) {
	var samples []sample
	for minute := range 61 {
		s := sample{kind: kind(minute % 2), at: time.Duration(minute) * time.Minute, memory: 100 << 20, goroutines: 50, files: 20, etcd: 1 << 20}
		s.requests.latencies = []time.Duration{2 * time.Millisecond}
		if minute <= 30 {
			s.memory = 1 << 40 // of the first half
		}
		if s.kind == overload {
			s.goroutines += float64(minute)
		}
		samples = append(samples, s)
	}
	text, err := report(samples, time.Hour)
	require.NoError(t, err)
	require.Contains(t, text, "61 were served, 0 rejected with 429, and 0 failed")
	require.Contains(t, text, "| resident memory | 100.0 MiB | +0.0 MiB ± 0.0 MiB | 100.0 MiB | +0.0 MiB ± 0.0 MiB |\n")
	require.Contains(t, text, "| goroutines | 50.0 | +0.0 ± 0.0 | 95.0 | +60.0 ± 0.0 |\n")
	require.Contains(t, text, "| p99 of the mice | 2.000ms | ")
	_, err = report(samples[:3], time.Hour)
	require.ErrorContains(t, err, "resident memory, ordinary traffic")
}

func TestRequestsOfMiceAreCountedByTheirResult(t *testing.T) {
	mice := &small{}
	mice.add(time.Second, http.StatusOK, nil)
	mice.add(0, http.StatusTooManyRequests, nil)
	mice.add(0, http.StatusInternalServerError, nil)
	mice.add(0, 0, errTooFew)
	require.Equal(t, requests{latencies: []time.Duration{time.Second}, rejected: 1, failed: 2}, mice.next())
	require.Equal(t, requests{}, mice.next())
	require.Zero(t, requests{}.p99())
}

func TestSixChangesLeaveTheConfigurationAsItWas(t *testing.T) {
	count := map[string]int{}
	for n := range 6 {
		method, path, body := step(n)
		if body != "" {
			require.True(t, json.Valid([]byte(body)), body)
		}
		count[method]++
		require.NotEmpty(t, path)
	}
	require.Equal(t, map[string]int{http.MethodPost: 2, http.MethodPut: 2, http.MethodDelete: 2}, count)
}
