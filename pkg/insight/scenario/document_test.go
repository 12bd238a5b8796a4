package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/trace"
)

func TestScenarioOfTheDocumentIsValid(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "simulate.md"))
	require.NoError(t, err)
	found := 0
	for _, block := range strings.Split(string(text), "```yaml\n")[1:] {
		block, _, _ = strings.Cut(block, "```")
		if !strings.Contains(block, "kind: "+Kind) {
			continue
		}
		found++
		s, err := Parse([]byte(block))
		require.NoError(t, err)
		_, sends := New(s).Next()
		assert.True(t, sends)
	}
	assert.Equal(t, 1, found)
}

func TestSampleOfADayHasAThousandRequestsASecond(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "samples", "day.yaml"))
	require.NoError(t, err)
	short := strings.Replace(string(text), "duration: 24h", "duration: 10s", 1)
	require.NotEqual(t, string(text), short)
	s, err := Parse([]byte(short))
	require.NoError(t, err)
	requests := 0
	require.NoError(t, s.Generate(t.Context(), func(*trace.Request) error {
		requests++
		return nil
	}))
	assert.InDelta(t, 10_000, requests, 500)
}
