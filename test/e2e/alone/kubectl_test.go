package alone

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// testKubectl covers the kubectl commands that the README's tour does not.
func testKubectl(t *testing.T, s *live) {
	kubectl := s.Kubectl(t)
	manifest := toJSON(t, objects.SchemaOf("kubectl", "kubectl-level"))
	require.Equal(t, "flowschema.flowcontrol.apiserver.k8s.io/kubectl created\n", kubectl.RunInput(t, manifest, "create", "-f", "-"))
	require.Contains(t, kubectl.Run(t, "wait", "flowschema/kubectl", "--for=condition=Dangling", "--timeout=5m"), "condition met")
	kubectl.RunInput(t, toJSON(t, objects.LevelOf("kubectl-level", 2)), "create", "-f", "-")
	kubectl.Run(t, "wait", "flowschema/kubectl", "--for=condition=Dangling=False", "--timeout=5m")

	require.Regexp(t, `(?m)^NAME +PRIORITYLEVEL +MATCHINGPRECEDENCE +DISTINGUISHERMETHOD +AGE +MISSINGPL\nkubectl +kubectl-level +500 +ByUser +\d+s +False$`,
		kubectl.Run(t, "get", "flowschema", "kubectl"))
	require.Contains(t, kubectl.Run(t, "describe", "flowschema", "kubectl"), "Matching Precedence:  500")
	for _, version := range []string{"v1", "v1beta3"} {
		require.Contains(t, kubectl.Run(t, "explain", "flowschemas.spec.rules", "--recursive", "--api-version=flowcontrol.apiserver.k8s.io/"+version), "nonResourceURLs")
	}

	changed := strings.Replace(manifest, `"matchingPrecedence":500`, `"matchingPrecedence":600`, 1)
	difference := kubectl.Try(t, changed, "diff", "-f", "-")
	require.Equal(t, 1, difference.ExitCode, difference.Stderr)
	require.Contains(t, difference.Stdout, "+  matchingPrecedence: 600")
	kubectl.RunInput(t, changed, "replace", "-f", "-")
	require.Equal(t, "600", kubectl.Run(t, "get", "flowschema", "kubectl", "-o", "jsonpath={.spec.matchingPrecedence}"))
	kubectl.Run(t, "label", "flowschema", "kubectl", "set=kubectl")
	require.Equal(t, "flowschema.flowcontrol.apiserver.k8s.io/kubectl\n", kubectl.Run(t, "get", "flowschemas", "-l", "set=kubectl", "-o", "name"))
	kubectl.RunInput(t, changed, "delete", "-f", "-")
	require.Contains(t, kubectl.Try(t, "", "get", "flowschema", "kubectl").Stderr, "NotFound")

	old := kubectl.Try(t, "", "get", "flowschemas.v1beta3.flowcontrol.apiserver.k8s.io", "catch-all")
	require.Zero(t, old.ExitCode)
	require.Contains(t, old.Stderr, "Warning: flowcontrol.apiserver.k8s.io/v1beta3 FlowSchema is deprecated")
}

func testKubeconfig(t *testing.T, s *live) {
	info, err := os.Stat(s.Kubeconfig)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Contains(t, s.Kubectl(t).Run(t, "get", "flowschemas"), "catch-all")
	require.Contains(t, s.Kubectl(t).Run(t, "version"), "Server Version: v1.33")
}
