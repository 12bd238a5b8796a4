package picture

import (
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/monitoring/mixin"
)

// source answers each query with the body.
func source(t *testing.T, body string, queries *[]string) Source {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		*queries = append(*queries, request.URL.Query().Get("query"))
		_, _ = io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	start := time.Unix(1000, 0)
	return Source{URL: server.URL, From: start, To: start.Add(100 * time.Second), Step: 50 * time.Second, RateInterval: 20 * time.Second}
}

func rows() []mixin.Row {
	return []mixin.Row{{Title: "Is <all> well?", Panels: []mixin.Panel{
		{Title: "Seats & more", Unit: mixin.Percent, Queries: []mixin.Query{{Expression: `rate(x{job=~"$job"}[$__rate_interval])`, Legend: "{{level}} of {{job}}{{missing}}"}}},
	}}}
}

func TestPictureHasALineForEachSeries(t *testing.T) {
	var queries []string
	prometheus := source(t, `{"status": "success", "data": {"result": [
		{"metric": {"level": "a", "job": "j"}, "values": [[1000, "0"], [1050, "0.125"], [1100, "0.25"]]},
		{"metric": {"level": "b", "job": "j"}, "values": [[1000, "NaN"], [1050, "0.5"]]},
		{"metric": {"level": "never", "job": "j"}, "values": [[1000, "NaN"]]}]}}`, &queries)
	svg, err := Draw(t.Context(), prometheus, rows(), "drawn by a test")
	require.NoError(t, err)
	assert.Equal(t, []string{`rate(x{job=~".*"}[20s])`}, queries)
	text := string(svg)
	for _, part := range []string{"Is &lt;all&gt; well?", "Seats &amp; more", "a of j", "b of j", "50 %", "drawn by a test",
		`class="line c0" points="165.0,40.0 "`, `class="line c1" points="12.0,118.0 165.0,98.5 318.0,79.0 "`} {
		assert.Contains(t, text, part)
	}
	assert.NotContains(t, text, "never")
	requireWellFormed(t, text)
}

func TestPictureSaysWhatHasNoData(t *testing.T) {
	var queries []string
	svg, err := Draw(t.Context(), source(t, `{"status": "success", "data": {"result": []}}`, &queries), rows(), "")
	require.NoError(t, err)
	assert.Contains(t, string(svg), "no data")
	requireWellFormed(t, string(svg))
}

func TestErrorNamesThePanelAndTheQuery(t *testing.T) {
	var queries []string
	_, err := Draw(t.Context(), source(t, `{"status": "error", "error": "parse error"}`, &queries), rows(), "")
	require.EqualError(t, err, `panel "Seats & more": the answer of Prometheus to rate(x{job=~".*"}[20s]) is an error: parse error`)
}

func requireWellFormed(t *testing.T, svg string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
	}
}

func TestValuesHaveTheirUnits(t *testing.T) {
	for want, got := range map[string]string{
		"12.5 %":  format(mixin.Percent, 0.125),
		"1.23s":   format(mixin.Seconds, 1.2345),
		"4.57ms":  format(mixin.Seconds, 0.004567),
		"0s":      format(mixin.Seconds, 0),
		"100 d":   format(mixin.Seconds, 100*86400),
		"20/s":    format(mixin.Rate, 20),
		"1.5 MiB": format(mixin.Bytes, 3<<19),
		"600":     format(mixin.Number, 600),
	} {
		assert.Equal(t, want, got)
	}
}
