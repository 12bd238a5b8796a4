package e2e

import (
	"net/http"
	"strings"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func testDiscovery(c apiCase) {
	t, s := c.t, c.site
	var group metav1.APIGroup
	s.do(t, http.MethodGet, groupPath, "").decode(t, &group)
	require.Equal(t, "flowcontrol.apiserver.k8s.io/v1", group.PreferredVersion.GroupVersion)
	require.Len(t, group.Versions, 2)

	for _, version := range []string{v1Path, v1beta3Path} {
		var resources metav1.APIResourceList
		s.do(t, http.MethodGet, version, "").decode(t, &resources)
		verbs := map[string]string{}
		for _, resource := range resources.APIResources {
			require.False(t, resource.Namespaced)
			verbs[resource.Name] = strings.Join(resource.Verbs, " ")
		}
		const all, status = "create delete deletecollection get list patch update watch", "get patch update"
		require.Equal(t, map[string]string{
			"flowschemas": all, "flowschemas/status": status,
			"prioritylevelconfigurations": all, "prioritylevelconfigurations/status": status,
		}, verbs)
	}

	aggregated := s.do(t, http.MethodGet, "/apis", "", "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList")
	require.Contains(t, aggregated.body, `"kind":"APIGroupDiscoveryList"`)
	require.Contains(t, aggregated.body, `"singularResource":"prioritylevelconfiguration"`)

	for path, want := range map[string]string{
		"/openapi/v2":               "io.k8s.api.flowcontrol.v1beta3.FlowSchema",
		"/openapi/v3" + v1Path:      "io.k8s.api.flowcontrol.v1.PriorityLevelConfiguration",
		"/openapi/v3" + v1beta3Path: `"x-kubernetes-list-map-keys":["type"]`,
		"/version":                  `"major"`,
	} {
		answer := s.do(t, http.MethodGet, path, "")
		require.Equal(t, http.StatusOK, answer.code, path)
		require.Contains(t, answer.body, want, path)
	}
}

// testKubectl does what the README's tour does not.
func testKubectl(c apiCase) {
	t, s := c.t, c.site
	kubectl := s.Kubectl(t)
	manifest := toJSON(t, newSchema("kubectl", "kubectl-level"))
	require.Equal(t, "flowschema.flowcontrol.apiserver.k8s.io/kubectl created\n", kubectl.RunInput(t, manifest, "create", "-f", "-"))
	require.Contains(t, kubectl.Run(t, "wait", "flowschema/kubectl", "--for=condition=Dangling", "--timeout=60s"), "condition met")
	kubectl.RunInput(t, toJSON(t, newLevel("kubectl-level", 2)), "create", "-f", "-")
	kubectl.Run(t, "wait", "flowschema/kubectl", "--for=condition=Dangling=False", "--timeout=60s")

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
