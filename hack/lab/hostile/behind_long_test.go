//go:build long

package hostile

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/document"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// Extent of the measurement.
const (
	floodStreams = 2500
	questions    = 200
)

// TestNewPermissionsUnderFloods measures how long a user waits for an answer to a question
// that kube-apiserver has not answered before, while 2,500 streams of unknown clients send
// requests. It takes four minutes.
func TestNewPermissionsUnderFloods(t *testing.T) {
	ours, theirs, err := StartBehind(t)
	require.NoError(t, err)
	var text strings.Builder
	fmt.Fprint(&text, "| flood | p50, p99 | longest | kube-apiserver's p50, p99 | longest | questions to kube-apiserver a second | answers of this server |\n|---|---:|---:|---:|---:|---:|---|\n")
	for i, flood := range Floods() {
		before, err := theirs.metrics(t.Context())
		require.NoError(t, err)
		begin := time.Now()
		reading, tally, err := Under(t, i, ours, floodStreams, questions)
		require.NoError(t, err, flood.Name)
		took := time.Since(begin)
		require.Empty(t, unexpected(tally, "401", "403", "429", cutOff), flood.Name)
		after, err := theirs.metrics(t.Context())
		require.NoError(t, err)
		beside, _, err := Under(t, i, theirs, floodStreams, questions)
		require.NoError(t, err, flood.Name)
		asked := reviews(after) - reviews(before) - questions
		fmt.Fprintf(&text, "| %s | %s, %s | %s | %s, %s | %s | %.0f | %s |\n", flood.Name, short(reading.quantile(0.5)), short(reading.P99()), short(reading.quantile(1)),
			short(beside.quantile(0.5)), short(beside.P99()), short(beside.quantile(1)), max(asked, 0)/took.Seconds(), tally)
	}
	t.Log("\n" + text.String())
	if *update {
		require.NoError(t, document.PublishOf("make hostile", "hostile-reviews", "docs/evidence/reliability.md", text.String()))
	}
}

// reviews returns the number of reviews that a kube-apiserver was asked for.
func reviews(values scrape.Scrape) float64 {
	return values.Sum("apiserver_request_total", `resource="subjectaccessreviews"`) + values.Sum("apiserver_request_total", `resource="tokenreviews"`)
}
