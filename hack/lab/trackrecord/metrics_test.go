package trackrecord

import (
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/stretchr/testify/require"
)

// get returns the body of a path that flow control does not govern.
func (s *Site) get(path string) string {
	w := httptest.NewRecorder()
	s.Paths.ServeHTTP(w, httptest.NewRequestWithContext(s.T.Context(), "GET", path, nil))
	if w.Code != 200 {
		return ""
	}
	return w.Body.String()
}

// Metrics returns the values of the lines of /metrics that contain all of the words of a text.
func (s *Site) Metrics(text string) (values []float64) {
	for line := range strings.Lines(s.get("/metrics")) {
		if strings.HasPrefix(line, "#") || !containsAll(line, strings.Fields(text)) {
			continue
		}
		var value float64
		_, err := fmt.Sscan(line[strings.LastIndex(line, " ")+1:], &value)
		require.NoError(s.T, err)
		values = append(values, value)
	}
	return values
}

// Metric returns the sum of the values that Metrics returns.
func (s *Site) Metric(text string) (sum float64) {
	for _, value := range s.Metrics(text) {
		sum += value
	}
	return sum
}

func containsAll(line string, words []string) bool {
	for _, word := range words {
		if !strings.Contains(line, word) {
			return false
		}
	}
	return true
}
