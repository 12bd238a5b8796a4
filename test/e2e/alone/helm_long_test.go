//go:build long

package alone

import (
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// helm installs a chart, for which there are no Secrets here, and applies what helm template makes.
func helm(t *testing.T, s *clientsSite, name string) outcome {
	path, err := binaries.Helm(t.Context())
	require.NoError(t, err)
	const chart = "testdata/chart"
	output, err := s.run(t, path, "install", name, chart)
	require.Error(t, err)
	require.Contains(t, output, "the server could not find the requested resource")
	_, err = s.resource("flowschemas").Get(t.Context(), name, metav1.GetOptions{})
	require.True(t, apierrors.IsNotFound(err), "%s: %v", name, err)

	template := func(values ...string) string {
		output, err := s.run(t, path, append([]string{"template", name, chart}, values...)...)
		require.NoError(t, err, output)
		return output
	}
	kubectl := s.Kubectl(t)
	for _, precedence := range []string{"500", "600", "700"} {
		kubectl.RunInput(t, template("--set=precedence="+precedence), "apply", "-f", "-")
	}
	kubectl.RunInput(t, template(), "delete", "-f", "-")
	return outcome{
		version: moduleVersion(t, path, "helm.sh/helm/v3"),
		works:   []string{"`helm template` with `kubectl apply` and `delete`"},
		needs:   []string{"`install`, `upgrade`, `rollback`, `uninstall`: the SQL driver, since there are no Secrets"},
	}
}
