package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestExamplesApplyAsTheyAre also finds a field that the API does not know, a
// schema whose level is not there, and one that gives cause for advice.
func TestExamplesApplyAsTheyAre(t *testing.T) {
	t.Parallel()
	root, err := binaries.Root()
	require.NoError(t, err)
	examples, err := filepath.Glob(filepath.Join(root, "artifacts", "examples", "*.yaml"))
	require.NoError(t, err)
	require.NotEmpty(t, examples)

	kubectl := harness.StartServer(t, harness.ServerOptions{}).Kubectl(t)
	for _, example := range examples {
		applied := kubectl.Try(t, "", "apply", "--validate=strict", "-f", example, "-o", "name")
		require.Zero(t, applied.ExitCode, applied.Stderr)
		require.Empty(t, applied.Stderr, example)
		for name := range strings.FieldsSeq(applied.Stdout) {
			if strings.HasPrefix(name, "flowschema.") {
				kubectl.Run(t, "wait", "--for=condition=Dangling=False", name)
			}
		}
	}
}
