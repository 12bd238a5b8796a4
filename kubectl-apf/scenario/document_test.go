package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

func TestScenarioOfTheDocumentIsValid(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "simulate.md"))
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
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "samples", "day.yaml"))
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

// The rates that the comments of the sample derive, in requests a second.
func TestSampleOf5000NodesHasTheRatesThatItDerives(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "samples", "5000-nodes.yaml"))
	require.NoError(t, err)
	short := strings.Replace(string(text), "duration: 2m40s", "duration: 20s", 1)
	require.NotEqual(t, string(text), short)
	s, err := Parse([]byte(short))
	require.NoError(t, err)
	require.Equal(t, 3, s.Replicas)
	kinds := map[string]float64{}
	require.NoError(t, s.Generate(t.Context(), func(r *trace.Request) error {
		kinds[strings.TrimSuffix(r.Verb+" "+r.Resource+"/"+r.Subresource, "/")] += 1.0 / 20
		return nil
	}))
	for kind, rate := range map[string]float64{
		"update leases":                500 + 6, // 5,000 every 10 s, and 12 every 2 s
		"patch nodes/status":           16.7,    // 5,000 every 5 min
		"patch pods/status":            200,     // 4 for each of 50 pods
		"delete pods":                  50 + 50, // by kubelets and by controllers
		"create serviceaccounts/token": 102,     // 150,000 every 2,886 s, and 50
		"create pods":                  50,
		"create pods/binding":          50,
		"watch pods":                   66.7, // 5,000 * 6 every 450 s
		"list pods":                    50,
	} {
		assert.InEpsilon(t, rate, kinds[kind], 0.15, kind)
	}
}
