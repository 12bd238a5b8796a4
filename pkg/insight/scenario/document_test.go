package scenario

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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
