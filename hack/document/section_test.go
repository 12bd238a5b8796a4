package document

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSectionIsReplacedAndTheRestStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file.md")
	require.NoError(t, write(path, "first", "one\n"))
	require.NoError(t, write(path, "second", "two\n"))
	require.NoError(t, write(path, "first", "one, again\n"))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `# Benchmarks

<!-- first: begin; written by a measurement -->
one, again
<!-- first: end -->

<!-- second: begin; written by a measurement -->
two
<!-- second: end -->
`, string(text))
}
