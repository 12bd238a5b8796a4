//go:build long

package alone

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// helmUser is a user of Helm with a driver to store its releases.
type helmUser struct {
	s    *clientsSite
	path string
	env  []string
}

// try runs helm. It does not reach the network.
func (u helmUser) try(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return u.s.try(t, "", u.env, u.path, args...)
}

func (u helmUser) run(t *testing.T, args ...string) string {
	t.Helper()
	output, err := u.try(t, args...)
	require.NoError(t, err, output)
	return output
}

// helm installs a chart with each of Helm's drivers.
func helm(t *testing.T, s *clientsSite, name string) outcome {
	path, err := binaries.Helm(t.Context())
	require.NoError(t, err)
	chart := filepath.Join("testdata", "chart")
	for _, step := range []struct {
		what string
		run  func(*testing.T)
	}{
		{"the driver is Secrets", func(t *testing.T) { testHelmSecrets(t, helmUser{s, path, nil}, name, chart) }},
		{"the driver is memory", func(t *testing.T) { testHelmMemory(t, helmUser{s, path, memoryDriver(t)}, name, chart) }},
		{"the driver is SQL", func(t *testing.T) { testHelmSQL(t, helmUser{s, path, sqlDriver(t)}, name+"-sql", chart) }},
		{"helm template", func(t *testing.T) { testHelmTemplate(t, helmUser{s, path, nil}, name, chart) }},
	} {
		t.Run(step.what, step.run)
	}
	return outcome{
		version: moduleVersion(t, path, "helm.sh/helm/v3"),
		works:   []string{"`helm template` with `kubectl apply` and `delete`"},
		needs: []string{
			"`install`, `upgrade`, `rollback`, `uninstall`: the SQL driver, since there are no Secrets",
			"never the memory driver, which succeeds and contacts nobody",
		},
	}
}

// absent requires that no FlowSchema of this name exists.
func (s *clientsSite) absent(t *testing.T, name string) {
	t.Helper()
	_, err := s.resource("flowschemas").Get(t.Context(), name, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%s: %v", name, err)
}

// testHelmSecrets requires that nothing is installed where the release cannot be stored.
func testHelmSecrets(t *testing.T, u helmUser, name, chart string) {
	output, err := u.try(t, "install", name, chart)
	require.Error(t, err)
	require.Contains(t, output, "the server could not find the requested resource")
	u.s.absent(t, name)
}

func memoryDriver(t *testing.T) []string {
	t.Helper()
	releases := filepath.Join(t.TempDir(), "releases.yaml")
	require.NoError(t, os.WriteFile(releases, []byte("[]\n"), 0o644))
	return []string{"HELM_DRIVER=memory", "HELM_MEMORY_DRIVER_DATA=" + releases}
}

// testHelmMemory requires that the driver reports as deployed what it sent to nobody.
func testHelmMemory(t *testing.T, u helmUser, name, chart string) {
	require.Contains(t, u.run(t, "install", name, chart), "STATUS: deployed")
	u.s.absent(t, name)
}

func testHelmSQL(t *testing.T, u helmUser, name, chart string) {
	precedence := func() string {
		return u.s.Kubectl(t).Run(t, "get", "flowschema", name, "-o", "jsonpath={.spec.matchingPrecedence}")
	}
	u.run(t, "install", name, chart)
	require.Equal(t, "500", precedence())
	u.run(t, "upgrade", name, chart, "--set=precedence=600", "--wait")
	require.Equal(t, "600", precedence())
	u.run(t, "rollback", name, "1")
	require.Equal(t, "500", precedence())
	require.Contains(t, u.run(t, "list"), name)
	u.run(t, "uninstall", name, "--wait")
	u.s.absent(t, name)
}

// testHelmTemplate is what an administrator without a database does.
func testHelmTemplate(t *testing.T, u helmUser, name, chart string) {
	kubectl := u.s.Kubectl(t)
	for _, precedence := range []string{"500", "600", "700"} {
		kubectl.RunInput(t, u.run(t, "template", name, chart, "--set=precedence="+precedence), "apply", "-f", "-")
	}
	kubectl.RunInput(t, u.run(t, "template", name, chart), "delete", "-f", "-")
}
