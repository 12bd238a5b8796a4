package alone

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// testExamples applies the examples. It detects unknown fields, schemas whose
// level is missing, and warnings.
func testExamples(t *testing.T, s *live) {
	examples, err := filepath.Glob(harness.Path(t, "artifacts/examples/*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, examples)

	kubectl := s.Kubectl(t)
	for _, example := range examples {
		applied := kubectl.Try(t, "", "apply", "--validate=strict", "-f", example, "-o", "name")
		require.Zero(t, applied.ExitCode, applied.Stderr)
		require.Empty(t, applied.Stderr, example)
		for name := range strings.FieldsSeq(applied.Stdout) {
			if strings.HasPrefix(name, "flowschema.") {
				kubectl.Run(t, "wait", "--timeout=5m", "--for=condition=Dangling=False", name)
			}
		}
		kubectl.Run(t, "delete", "-f", example)
	}
}
