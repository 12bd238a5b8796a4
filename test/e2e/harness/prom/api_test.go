package prom

import (
	"math"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAnswersOfTheAPIAreDecoded(t *testing.T) {
	answers := map[string]string{
		"/api/v1/query?query=up+%3D%3D+1": `{"status": "success", "data": {"resultType": "vector", "result": [{"metric": {"job": "a"}, "value": [1, "1.5"]}, {"metric": {}, "value": [1, "NaN"]}]}}`,
		"/api/v1/query?query=text":        `{"status": "success", "data": {"resultType": "vector", "result": [{"value": [1, "text"]}]}}`,
		"/api/v1/query?query=bad":         `{"status": "error", "error": "bad_data"}`,
		"/api/v1/targets?state=active":    `{"status": "success", "data": {"activeTargets": [{"labels": {"pod": "p"}, "scrapeUrl": "u", "health": "up"}]}}`,
		"/api/v1/label/__name__/values":   `{"status": "success", "data": ["a", "b"]}`,
		"/api/v1/alerts":                  `{"status": "success", "data": {"alerts": [{"labels": {"alertname": "A"}, "state": "firing"}]}}`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		answer, known := answers[request.URL.String()]
		if !known {
			http.Error(w, "unknown", http.StatusNotFound)
			return
		}
		_, _ = w.Write([]byte(answer)) // the client reads it
	}))
	t.Cleanup(server.Close)
	s := &Server{URL: server.URL}

	samples, err := s.Query(t.Context(), "up == 1")
	require.NoError(t, err)
	assert.Equal(t, Sample{Labels: map[string]string{"job": "a"}, Value: 1.5}, samples[0])
	assert.True(t, math.IsNaN(samples[1].Value))
	for expression, says := range map[string]string{"text": `parsing "text"`, "bad": "bad_data", "other": "404"} {
		_, err := s.Query(t.Context(), expression)
		require.ErrorContains(t, err, says)
	}
	targets, err := s.Targets(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Target{{Labels: map[string]string{"pod": "p"}, ScrapeURL: "u", Health: "up"}}, targets)
	names, err := s.Names(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"a", "b"}, names)
	alerts, err := s.Alerts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []Alert{{Labels: map[string]string{"alertname": "A"}, State: "firing"}}, alerts)
}
