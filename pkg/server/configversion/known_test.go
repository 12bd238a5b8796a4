package configversion

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestOtherFilesStay(t *testing.T) {
	for name, same := range map[string]string{
		"an older version":        "apiVersion: apiserver.config.k8s.io/v1alpha1\nkind: TracingConfiguration\n",
		"a kind that is v1 here":  "apiVersion: apiserver.config.k8s.io/v1\nkind: AdmissionConfiguration\n",
		"an unknown kind":         "apiVersion: apiserver.config.k8s.io/v1\nkind: Tracing\n",
		"a version that is later": "apiVersion: apiserver.config.k8s.io/v10\nkind: TracingConfiguration\n",
		"neither YAML nor JSON":   "\t{",
		"nothing":                 "",
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, same, string(Known([]byte(same)))) })
	}
}

func TestAFileThatThisReleaseKnowsIsNotCopied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tracing.yaml")
	require.NoError(t, os.WriteFile(path, []byte("apiVersion: apiserver.config.k8s.io/v1alpha1\nkind: TracingConfiguration\n"), 0o600))
	for _, file := range []string{path, "absent", ""} {
		known, remove, err := KnownFile(file)
		require.NoError(t, err)
		assert.Equal(t, file, known)
		remove()
	}
	assert.FileExists(t, path)
}
