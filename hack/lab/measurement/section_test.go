package measurement

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSectionIsReplacedAndTheRestStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.md")
	require.NoError(t, write(path, "make bench", "first", "one\n"))
	require.NoError(t, write(path, "make bench", "second", "two\n"))
	require.NoError(t, write(path, "make bench", "first", "one, again\n"))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `# Benchmarks

<!-- first: begin; written by make bench -->
one, again
<!-- first: end -->

<!-- second: begin; written by make bench -->
two
<!-- second: end -->
`, string(text))
}
