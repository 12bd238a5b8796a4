//go:build long

package behind

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

var update = tour.Flag()

// TestSkew registers this server, built on the first and on the last release of k8s.io, in the
// kube-apiserver of either and in one between them, and uses kubectl of either. It writes the table
// of docs/upgrade.md. It takes ten minutes.
func TestSkew(t *testing.T) {
	ran := 0
	for _, row := range skew() {
		t.Run(row.base+" behind "+row.version, func(t *testing.T) {
			row.test(t)
			ran++
		})
	}
	if !t.Failed() && ran == len(skew()) { // -run may leave some out
		tour.Part(t, "docs/upgrade.md", "skew", skewTable(), *update)
	}
}

// row is a row of the table: the release of k8s.io that this server is built on, and the version of
// the kube-apiserver in front.
type row struct{ base, version string }

func skew() []row {
	var rows []row
	for _, base := range []string{binaries.FirstBase, "0.37"} {
		for _, version := range []string{binaries.KubernetesVersion, binaries.NextKubernetesVersion, binaries.LatestKubernetesVersion} {
			rows = append(rows, row{base, version})
		}
	}
	return rows
}

// kubectls returns the program of kubectl of each end, by its version.
func kubectls() map[string]binaries.Build {
	return map[string]binaries.Build{
		binaries.KubernetesVersion:       binaries.Kubectl,
		binaries.LatestKubernetesVersion: binaries.LatestKubectl,
	}
}

func skewTable() string {
	versions := slices.Sorted(maps.Keys(kubectls()))
	text := "\n| this server, on k8s.io | kube-apiserver in front | kubectl " + strings.Join(versions, " | kubectl ") +
		" |\n|---|---|" + strings.Repeat("---|", len(versions)) + "\n"
	for _, row := range skew() {
		text += "| " + row.base + " | " + row.version + " |" + strings.Repeat(" works |", len(versions)) + "\n"
	}
	return text + "\n"
}

// test is every cell of the row: v1beta3 beside the native v1, and then both versions taken over.
func (r row) test(t *testing.T) {
	server, kube := harness.Program(t, binaries.ServerOn(r.base)), harness.Program(t, binaries.KubeAPIServerOf(r.version))
	s := startShared(t, cluster.Options{Server: server, KubeAPIServer: kube})
	require.Contains(t, s.get(t, "/version").Body, r.version)
	discovery, ofEach := everywhere()[0], theme{"kubectl of each end", testKubectls}

	s.run(t, discovery, ofEach)
	s.takeV1(t)
	t.Run("taken over", func(t *testing.T) {
		s.run(t, discovery, theme{"kube-apiserver's own flow control is configured at once", testConfigured}, ofEach,
			theme{"mutating policies", r.testMutatingPolicies},
			theme{"nothing is forbidden that the server does", testNothingForbidden}, theme{"v1 is given back", testGivenBack})
	})
}

// testKubectls reads and writes both versions with each kubectl.
func testKubectls(t *testing.T, s *site) {
	for version, program := range kubectls() {
		t.Run(version, func(t *testing.T) {
			user := *s
			user.kubectl = harness.KubectlAt(t, harness.Program(t, program), s.KubeAPIServer.Kubeconfig)
			require.Contains(t, user.kubectl.Run(t, "version", "--client"), version)
			testKubectl(t, &user, "v1", "v1beta3")
			testKubectl(t, &user, "v1beta3", "v1")
		})
	}
}

// mutatingPolicies are one policy that writes a merge and one that writes a JSON patch, both bound.
const mutatingPolicies = `{"apiVersion": "v1", "kind": "List", "items": [
	{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "merge"}, "spec": {
		"matchConstraints": {"resourceRules": [{"apiGroups": ["` + group + `"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["flowschemas"]}]},
		"reinvocationPolicy": "Never", "mutations": [{"patchType": "ApplyConfiguration", "applyConfiguration": {
			"expression": "Object{spec: Object.spec{matchingPrecedence: 77}}"}}]}},
	{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicy", "metadata": {"name": "patch"}, "spec": {
		"matchConstraints": {"resourceRules": [{"apiGroups": ["` + group + `"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["flowschemas"]}]},
		"reinvocationPolicy": "Never", "mutations": [{"patchType": "JSONPatch", "jsonPatch": {
			"expression": "[JSONPatch{op: 'add', path: '/metadata/labels', value: {'patched': 'yes'}}]"}}]}},
	{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "merge"}, "spec": {"policyName": "merge"}},
	{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingAdmissionPolicyBinding", "metadata": {"name": "patch"}, "spec": {"policyName": "patch"}}]}`

// testMutatingPolicies requires that policies of the cluster apply to both versions if the server
// and kube-apiserver have them, and that /readyz says so if one of them does not.
func (r row) testMutatingPolicies(t *testing.T, s *site) {
	if r.version < "v1.36" { // it serves none
		s.waitPolicies(t, "\n")
		return
	}
	s.kubectl.RunInput(t, mutatingPolicies, "apply", "-f", "-")
	if r.base < "0.36" {
		s.waitPolicies(t, ", but: 2 MutatingAdmissionPolicies of the cluster match FlowSchemas or PriorityLevelConfigurations, and do not apply here")
		return
	}
	for _, version := range s.ours {
		create := func() harness.Result {
			return s.kubectl.Try(t, manifest(version, "mutated"), "create", "--dry-run=server", "-f", "-", "-o", "jsonpath={.spec.matchingPrecedence} {.metadata.labels.patched}")
		}
		eventually.Holds(t, "both policies apply to "+version, func(a *eventually.Attempt) {
			created := create()
			require.Equal(a, "77 yes", created.Stdout, created.Stderr)
		})
	}
}

// waitPolicies waits until the check of mutating policies of a replica is ok, and says the text.
func (s *site) waitPolicies(t *testing.T, text string) {
	t.Helper()
	client, url := s.unverified(t), "https://"+s.Servers(t, replicas)[0].Address(cluster.ServerPort)+"/readyz?verbose"
	eventually.Holds(t, "mutating policies are ok"+text, func(a *eventually.Attempt) {
		reply := get(a, client, url)
		require.Equal(a, http.StatusOK, reply.Code, reply.Body)
		require.Contains(a, reply.Body, "[+]mutating-policies ok"+text)
	})
}
