package e2e

import (
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// testKubectl covers the kubectl commands that the README's tour does not.
func testKubectl(t *testing.T, s *live) {
	kubectl := s.Kubectl(t)
	manifest := toJSON(t, newSchema("kubectl", "kubectl-level"))
	require.Equal(t, "flowschema.flowcontrol.apiserver.k8s.io/kubectl created\n", kubectl.RunInput(t, manifest, "create", "-f", "-"))
	require.Contains(t, kubectl.Run(t, "wait", "flowschema/kubectl", "--for=condition=Dangling", "--timeout=5m"), "condition met")
	kubectl.RunInput(t, toJSON(t, newLevel("kubectl-level", 2)), "create", "-f", "-")
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

// testDeletions deletes as kubectl does; package conformance has the other ways.
func testDeletions(t *testing.T, s *live) {
	kubectl := s.Kubectl(t)
	manifest := toJSON(t, newSchema("deleted", "catch-all"))
	for _, policy := range []string{"background", "foreground", "orphan"} {
		kubectl.RunInput(t, manifest, "create", "-f", "-")
		kubectl.Run(t, "delete", "flowschema", "deleted", "--cascade="+policy, "--timeout=1m") // which waits until it is gone
	}

	held := newSchema("deleted", "catch-all")
	held.Finalizers = []string{"example.org/hold"}
	const path = v1Path + "/flowschemas/deleted"
	s.createSchema(t, held)
	require.Empty(t, s.do(t, http.MethodPut, path, toJSON(t, held)).warnings())
	require.Contains(t, s.do(t, http.MethodDelete, path, "").body, "deletionTimestamp")
	require.Empty(t, s.do(t, http.MethodDelete, path, "").warnings())
	const apply, merge = "Content-Type: application/apply-patch+yaml", "Content-Type: application/merge-patch+json"
	same := `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"labels": {"a": "b"}}}`
	for name, answer := range map[string]reply{
		"update":         s.do(t, http.MethodPut, path, toJSON(t, held)),
		"patch":          s.do(t, http.MethodPatch, path, `{"spec": {"matchingPrecedence": 77}}`, merge),
		"dry patch":      s.do(t, http.MethodPatch, path+"?dryRun=All", `{}`, merge),
		"apply":          s.do(t, http.MethodPatch, path+"?fieldManager=m", same, apply),
		"apply of same":  s.do(t, http.MethodPatch, path+"?fieldManager=m", same, apply),
		"last finalizer": s.do(t, http.MethodPut, path+"?dryRun=All", toJSON(t, newSchema("deleted", "workload-low"))),
	} {
		require.Len(t, answer.warnings(), 1, name)
		require.Contains(t, answer.warnings()[0], `299 - "metadata.deletionTimestamp: This object is being deleted since `, name)
	}
	freed := s.do(t, http.MethodPatch, path, `{"metadata": {"finalizers": null}}`, merge)
	require.Equal(t, http.StatusOK, freed.code)
	require.Empty(t, freed.warnings(), "who ends a deletion knows of it")
	require.Equal(t, http.StatusNotFound, s.do(t, http.MethodGet, path, "").code)
}

func testApplyUpgrade(t *testing.T, s *live) {
	kubectl := s.Kubectl(t)
	manifest := func(precedence string) string {
		return `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "upgraded"}, "spec": {"matchingPrecedence": ` + precedence +
			`, "priorityLevelConfiguration": {"name": "catch-all"}}}`
	}
	precedence := func() string {
		return kubectl.Run(t, "get", "flowschema", "upgraded", "-o", "jsonpath={.spec.matchingPrecedence}")
	}
	kubectl.RunInput(t, manifest("801"), "apply", "-f", "-")
	kubectl.RunInput(t, manifest("802"), "apply", "--server-side", "-f", "-")
	require.Equal(t, "802", precedence())
	kubectl.RunInput(t, manifest("803"), "apply", "-f", "-")
	require.Equal(t, "803", precedence())
	kubectl.RunInput(t, manifest("804"), "apply", "--server-side", "-f", "-")
	require.Equal(t, "804", precedence())

	other := kubectl.Try(t, manifest("805"), "apply", "--server-side", "--field-manager=other", "-f", "-")
	require.Equal(t, 1, other.ExitCode)
	require.Contains(t, other.Stderr, `conflict with "kubectl": .spec.matchingPrecedence`)
}

func testKubeconfig(t *testing.T, s *live) {
	info, err := os.Stat(s.Kubeconfig)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
	require.Contains(t, s.Kubectl(t).Run(t, "get", "flowschemas"), "catch-all")
	require.Contains(t, s.Kubectl(t).Run(t, "version"), "Server Version: v1.33")
}
