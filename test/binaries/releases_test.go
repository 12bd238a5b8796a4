package binaries

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestProgramsAreNamedByTheReleaseThatTheVariableNames(t *testing.T) {
	t.Setenv(prebuiltVariable, "prebuilt")
	for _, c := range []struct{ release, server, kubeAPIServer string }{
		{"", "flowcontrol-apiserver", "kube-apiserver"},
		{"0.36", "flowcontrol-apiserver-0.36", "kube-apiserver-1.36"},
		{"0.37", "flowcontrol-apiserver-0.37", "kube-apiserver-1.37"},
		{"0.37.1", "flowcontrol-apiserver-0.37.1", "kube-apiserver-1.37"},
	} {
		t.Setenv(releaseVariable, c.release)
		require.Equal(t, c.server, serverOn(Base()).name)
		version, err := VersionBeside()
		require.NoError(t, err)
		require.Equal(t, c.kubeAPIServer, kubeAPIServerOf(version).name)
	}
	t.Setenv(releaseVariable, "0.35")
	_, err := KubeAPIServer(t.Context())
	require.ErrorContains(t, err, "K8S=0.35: the tests have no kube-apiserver of this release; name 0.33, 0.36 or 0.37")
}

// TestAModuleIsDerivedFromOneVersion takes what the module itself says from the module cache, where
// the go command puts it.
func TestAModuleIsDerivedFromOneVersion(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "derived")
	require.NoError(t, derive(t.Context(), folder, "k8s.io/kubernetes@"+KubernetesVersion))
	content, err := os.ReadFile(filepath.Join(folder, "go.mod"))
	require.NoError(t, err)
	text := string(content)
	require.Contains(t, text, "\nrequire k8s.io/kubernetes v1.33.13\n")
	require.Contains(t, text, "\nreplace k8s.io/apiserver => k8s.io/apiserver v0.33.13\n")
	require.Contains(t, text, "\ngodebug default=go1.24\n")
	require.NotContains(t, text, "staging")
	require.ErrorContains(t, derive(t.Context(), filepath.Join(t.TempDir(), "other"), "k8s.io/kubernetes@v1.99.99"), "k8s.io/kubernetes@v1.99.99")
}

func TestProgramsAreBuiltByName(t *testing.T) {
	err := Named(t.Context(), []string{"kube-apiserver", "kube-apiserver-1.99"}, nil)
	require.EqualError(t, err, "no program is called kube-apiserver-1.99")
}
