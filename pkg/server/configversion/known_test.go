package configversion

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	genericoptions "k8s.io/apiserver/pkg/server/options"
)

func TestAFileOfANewerReleaseIsReadInTheVersionOfThisOne(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"YAML", "# a\napiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\n",
			"# a\napiVersion: apiserver.config.k8s.io/v1beta1\nkind: TracingConfiguration\n"},
		{"JSON in one line", `{"kind":"AuthenticationConfiguration","apiVersion":"apiserver.config.k8s.io/v1","jwt":[]}`,
			`{"kind":"AuthenticationConfiguration","apiVersion":"apiserver.config.k8s.io/v1beta1","jwt":[]}`},
		{"at the end, in quotes", "kind: TracingConfiguration\napiVersion: 'apiserver.config.k8s.io/v1'",
			"kind: TracingConfiguration\napiVersion: 'apiserver.config.k8s.io/v1beta1'"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, string(Known([]byte(test.data)))) })
	}
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

func TestTheLibraryReadsTheCopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tracing.yaml")
	require.NoError(t, os.WriteFile(path, []byte("apiVersion: apiserver.config.k8s.io/v1\nkind: TracingConfiguration\nsamplingRatePerMillion: 7\n"), 0o600))
	known, remove, err := KnownFile(path)
	require.NoError(t, err)
	read, err := genericoptions.ReadTracingConfiguration(known)
	require.NoError(t, err)
	assert.Equal(t, int32(7), *read.SamplingRatePerMillion)
	remove()
	assert.NoFileExists(t, known)
	assert.FileExists(t, path)
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
