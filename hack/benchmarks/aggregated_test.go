package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestOwnPartIsWhatTheAggregatorDoesNotAdd(t *testing.T) {
	taken := latencies{oursThrough: 2, oursDirect: 1, nothingThrough: 1.125, nothingDirect: 0.25}
	assert.InDelta(t, 1.125, taken.ownPart(), 1e-9)
	table := ownPartTable([]latencies{taken, taken})
	assert.Equal(t, "| our part, p50 | 1.12 s | 1.00 s | 1.12 | 1.12 to 1.12 | ≤ 1.10 | **no** |\n", table.rows[0].String())
	assert.Contains(t, latencyTable([]latencies{taken}).body(), "| this server | 2.00 s | 1.00 s |\n| a server that does nothing | 1.12 s | 250 ms |\n")
}

func TestTableNamesWhatItCompares(t *testing.T) {
	assert.Contains(t, table{}.body(), "| | this server | kube-apiserver | ratio |")
	assert.Contains(t, table{columns: [2]string{"a", "b"}}.body(), "| | a | b | ratio |")
}

func TestEnforcementIsJudgedByItsSlowestHundredth(t *testing.T) {
	delays := make([]float64, 200)
	for i := range delays {
		delays[i] = 0.01
	}
	delays[0], delays[1] = 0.3, 0.2
	assert.Equal(t, "| a | 10 ms | 10 ms | p99 < 100 ms | yes |\n", enforcementRow("a", delays))
	delays[2] = 0.1
	assert.Equal(t, "| a | 10 ms | 100 ms | p99 < 100 ms | **no** |\n", enforcementRow("a", delays))
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
