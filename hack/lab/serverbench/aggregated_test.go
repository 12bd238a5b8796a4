package main

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// tableOf returns the text of a table after six rounds of add.
func tableOf(t *testing.T, shown table, add func(*measurement.Log) error) string {
	t.Helper()
	log, err := measurement.NewLog(filepath.Join(t.TempDir(), "log.txt"))
	require.NoError(t, err)
	for range 6 {
		require.NoError(t, add(log))
	}
	measured, err := log.Rounds()
	require.NoError(t, err)
	body, err := shown.body(measured)
	require.NoError(t, err)
	return body
}

func TestOwnPartIsWhatTheAggregatorDoesNotAdd(t *testing.T) {
	taken := latencies{oursThrough: 2, oursDirect: 1, nothingThrough: 1.125, nothingDirect: 0.25}
	assert.InDelta(t, 1.125, taken.ownPart(), 1e-9)
	body := tableOf(t, latencyTable(), taken.record)
	assert.Contains(t, body, "| case | through kube-apiserver | directly | ratio |")
	assert.Contains(t, body, "| this server | 2.000s | 1.000s | 2 | 2 to 2 |")
	assert.Contains(t, body, "| a server that does nothing | 1.125s | 250.0ms | 4.5 |")
	assert.Regexp(t, `\| this server's part \| 1.125s \| 1.000s \| .* \| ≤ 1.1 \| \*\*no\*\* \|`, body)
}

func TestEnforcementIsJudgedByItsSlowestHundredth(t *testing.T) {
	delays := make([]float64, 200)
	for i := range delays {
		delays[i] = 0.01
	}
	delays[0], delays[1] = 0.3, 0.2
	rounds := func(log *measurement.Log) (err error) {
		for replica := range replicas {
			err = errors.Join(err, recordDelays(log, enforcement(replica, "sending"), delays), recordDelays(log, enforcement(replica, "answer"), delays))
		}
		return err
	}
	assert.Contains(t, tableOf(t, enforcementTable(200), rounds), "sending it, p99 | 10.00ms |  |  | 10.00ms to 10.00ms |  | ≤ 100.0ms | yes |\n")
	delays[2] = 0.15
	assert.Contains(t, tableOf(t, enforcementTable(200), rounds), "sending it, p99 | 150.0ms |  |  | 150.0ms to 150.0ms |  | ≤ 100.0ms | **no** |\n")
}

func TestTableComparesTheTwoServers(t *testing.T) {
	shown := table{rows: []measurement.Comparison{compare("a get", "Get", seconds, 0.5)}}
	body := tableOf(t, shown, func(log *measurement.Log) error {
		return errors.Join(log.Add(ours.of("Get"), 1, measurement.Values{seconds: 1}), log.Add(theirs.of("Get"), 1, measurement.Values{seconds: 4}))
	})
	assert.Contains(t, body, "| case | this server | kube-apiserver | ratio |")
	assert.Contains(t, body, "| a get | 1.000s | 4.000s | 0.25 | 0.25 to 0.25 |")
	_, err := shown.body(measurement.Rounds{})
	require.ErrorContains(t, err, "benchmark Get/server=flowcontrol-apiserver gave no sec")
}

func TestServerThatDoesNothingAnswersAtOneAddress(t *testing.T) {
	handler := nothingHandler([]byte(`{"a":1}`))
	get := func(path string) *httptest.ResponseRecorder {
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, httptest.NewRequestWithContext(t.Context(), http.MethodGet, path, nil))
		return recorder
	}
	assert.JSONEq(t, `{"a":1}`, get(nothingPath).Body.String())
	assert.Contains(t, get("/apis/nothing.example.com/v1").Body.String(), "APIResourceList", "the aggregator's discovery")
	assert.Equal(t, http.StatusNotFound, get("/openapi/v2").Code)
}
