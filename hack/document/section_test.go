package document

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSectionIsReplacedAndTheRestStays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "docs", "file.md")
	first, second := Section{Name: "first", Writer: "make a"}, Section{Name: "second", Writer: "make b"}

	require.NoError(t, first.Write(path, "Title", "one\n"))
	require.NoError(t, second.Write(path, "Title", "two\n"))
	require.NoError(t, first.Write(path, "Title", "one, again\n"))

	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `# Title

<!-- first: begin; written by make a -->
one, again
<!-- first: end -->

<!-- second: begin; written by make b -->
two
<!-- second: end -->
`, string(text))
}
