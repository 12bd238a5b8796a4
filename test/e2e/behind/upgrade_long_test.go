//go:build long

package behind

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	// earlierTag is the tag in the manifests of both trees, nowTag the tag of the new release.
	earlierTag, nowTag = "v0.1.0", "v0.1.1"
	// earlierChecks and nowChecks are names of one metric in both.
	earlierChecks, nowChecks = "flowcontrol_apiserver_upstream_check_", "flowcontrol_apiserver_kube_apiserver_check_"
)

// TestUpgradeAndBack goes from an earlier server to this one and back, as docs/upgrade.md says: three replicas,
// one after another, while users read and write through kube-apiserver and past it.
func TestUpgradeAndBack(t *testing.T) {
	tree, err := binaries.EarlierTree(t.Context())
	require.NoError(t, err)
	earlier, now := filepath.Join(tree, "artifacts"), newRelease(t)
	s := startSite(t, cluster.Options{Earlier: map[string]string{earlierTag: harness.Program(t, binaries.Earlier)}, Artifacts: earlier})
	s.requireMetrics(t, earlierChecks)
	written := s.waitVersions(t)

	t.Run("the image alone", s.underLoad(func(t *testing.T, s *besideSite, l *load) {
		l.relayed.allow(cutOff)
		s.kubectl.Run(t, "-n", cluster.Namespace, "set", "image", "deployment/"+cluster.Deployment, "*="+serverImage+nowTag)
		s.WaitRollout(t)
		s.requireMetrics(t, nowChecks)
	}))
	require.Equal(t, written, s.waitVersions(t), "what the earlier server has stored is as this one stores it")
	t.Run("the manifests too", s.installing(now, nowChecks))
	t.Run("back", s.installing(earlier, earlierChecks))
	t.Run("the new release at once", s.installing(now, nowChecks))
	t.Run("back again", s.installing(earlier, earlierChecks))
	last := s.waitVersions(t)
	const applied = "flowschemas/flowcontrol-apiserver" // its rules differ in the two manifests
	delete(written, applied)
	delete(last, applied)
	require.Equal(t, written, last)
}

// installing installs a release by its script, under load. The metric says which server then runs.
func (s *besideSite) installing(artifacts, metric string) func(*testing.T) {
	return s.underLoad(func(t *testing.T, s *besideSite, l *load) {
		l.relayed.allow(cutOff)
		s.Artifacts = artifacts
		s.Install(t, "overlays/v1beta3-beside")
		s.WaitRollout(t)
		s.requireMetrics(t, metric)
	})
}

// requireMetrics requires metrics with this beginning of each replica.
func (s *besideSite) requireMetrics(t *testing.T, prefix string) {
	t.Helper()
	for _, pod := range s.Servers(t, replicas) {
		require.Contains(t, send(t, s.operator(t, pod), http.MethodGet, "/metrics", "").Body, "\n"+prefix, pod.Name())
		require.Zero(t, pod.Restarts())
	}
}

const serverImage = "ghcr.io/flowcontrol-apiserver/flowcontrol-apiserver:"

// newRelease returns a copy of artifacts/ with the image of the new release, as hack/release.sh makes it. Its
// server keeps the certificate in files of the earlier one, which clients past kube-apiserver trust:
// TestBesideKubeAPIServer goes from files to certificates that the server issues, and back.
func newRelease(t *testing.T) string {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "artifacts")
	require.NoError(t, os.CopyFS(folder, os.DirFS(harness.Path(t, "artifacts"))))
	changed := 0
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		content, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(content), serverImage+earlierTag) {
			return err
		}
		changed++
		return os.WriteFile(path, []byte(strings.ReplaceAll(string(content), serverImage+earlierTag, serverImage+nowTag)), 0o600)
	}))
	require.Positive(t, changed)
	overlay := filepath.Join(folder, "overlays", "v1beta3-beside", "kustomization.yaml")
	content, err := os.ReadFile(overlay)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(overlay, append(content, "- ../../components/certificate-files\n"...), 0o600)) // components come last
	return folder
}
