package command

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"
)

// flat returns each right of rules, as in "list flowcontrol.apiserver.k8s.io/flowschemas"
// or "get /metrics".
func flat(rules []rbacv1.PolicyRule) []string {
	var rights []string
	for _, rule := range rules {
		for _, verb := range rule.Verbs {
			for _, url := range rule.NonResourceURLs {
				rights = append(rights, verb+" "+url)
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					rights = append(rights, verb+" "+group+"/"+resource)
				}
			}
		}
	}
	slices.Sort(rights)
	return slices.Compact(rights)
}

// allows reports whether the rights include the right.
func allows(rights []string, right string) bool {
	return slices.ContainsFunc(rights, func(granted string) bool {
		prefix, wildcard := strings.CutSuffix(granted, "*")
		return granted == right || wildcard && strings.HasPrefix(right, prefix)
	})
}

// clusterRole returns the rights of the plug-in's ClusterRole.
func clusterRole(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "artifacts", "kubectl-apf", "clusterrole.yaml"))
	require.NoError(t, err)
	var role rbacv1.ClusterRole
	require.NoError(t, yaml.UnmarshalStrict(text, &role))
	return flat(role.Rules)
}

func TestClusterRoleHasOnlyRightsToRead(t *testing.T) {
	for _, right := range clusterRole(t) {
		verb, what, _ := strings.Cut(right, " ")
		reviews := what == "authentication.k8s.io/selfsubjectreviews" || what == "authorization.k8s.io/subjectaccessreviews" // they are not stored
		assert.True(t, verb == "get" || verb == "list" || reviews, "%s is not a right to read", right)
	}
}

// requests are command lines that make each command send all its requests.
func requests() map[string][][]string {
	return map[string][][]string{
		"explain": {{"list", "pods"}},
		"whose":   {{"schema-0"}},
		"why":     {{"--flow-schema=service-accounts"}},
		"top":     {{"levels", "--interval=0"}, {"flows"}, {"requests"}},
		"lint":    {{}},
		"diff":    {{"-f", "schemas.yaml"}},
		"isolate": {{"--service-account=shop/default"}},
	}
}

func TestCommandsNeedExactlyTheRightsOfTheClusterRole(t *testing.T) {
	rights := clusterRole(t)
	t.Chdir(t.TempDir())
	write(t, "schemas.yaml", flowSchema)
	write(t, "audit.log", auditEvent)
	used := map[string]bool{}
	for name, lines := range requests() {
		t.Run(name, func(t *testing.T) {
			server := newAPIServer(t)
			for _, line := range lines {
				got := server.run(t, append([]string{name}, line...)...)
				require.LessOrEqual(t, got.status, statusFindings, got.errOut)
			}
			for right := range server.used {
				assert.True(t, allows(rights, right), "%s makes a request that needs the right %q", name, right)
			}
			maps.Copy(used, server.used)
			assert.Equal(t, map[string]bool{"kubectl-apf/v" + release: true}, server.agents, "audit logs tell who asks")
		})
	}
	for _, granted := range rights {
		assert.True(t, slices.ContainsFunc(slices.Collect(maps.Keys(used)), func(right string) bool { return allows([]string{granted}, right) }),
			"no command needs %q", granted)
	}
}

func TestMissingRightIsNamedAndTheRestGoesOn(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		name      string
		args      []string
		forbidden string
		status    int
		says      []string
	}{
		{"top without metrics tells by the dumps", []string{"top", "--interval=0"}, "get /metrics", statusOK, []string{"workload-low", `"get" on the nonResourceURL "/metrics"`}},
		{"top without requests tells by the metrics", []string{"top", "--interval=0"}, "get /debug/api_priority_and_fairness/dump_requests", statusOK, []string{"workload-low", "dump_requests"}},
		{"top without the endpoint slice", []string{"top", "--interval=0"}, "get discovery.k8s.io/endpointslices", statusOK, []string{"workload-low", "endpointslices"}},
		{"lint without namespaces", []string{"lint"}, "list /namespaces", statusOK, []string{"objects checked", `"list" on namespaces`}},
		{"explain without debug endpoints", []string{"explain", "list", "pods"}, "get /debug/api_priority_and_fairness/dump_queues", statusOK, []string{"global-default"}},
		{"explain without the name of the user", []string{"explain", "list", "pods"}, "create authentication.k8s.io/selfsubjectreviews", statusFailed, []string{"--as"}},
		{"isolate without reviews", []string{"isolate", "--service-account=shop/default"}, "create authorization.k8s.io/subjectaccessreviews", statusOK, []string{"shop-default-leases", `"create" on subjectaccessreviews`, "it is assumed to use leases"}},
		{"whose without flow schemas", []string{"whose", "schema-0"}, "list " + group + "/" + flowSchemas, statusFailed, []string{`"list" on flowschemas`}},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := newAPIServer(t)
			server.forbidden[test.forbidden] = true
			got := server.run(t, test.args...)
			assert.Equal(t, test.status, got.status, got.errOut)
			for _, text := range test.says {
				assert.Contains(t, got.out+got.errOut, text)
			}
		})
	}
}

// commands returns the commands by name.
func commands(t *testing.T) map[string]*cobra.Command {
	t.Helper()
	var out bytes.Buffer
	all := map[string]*cobra.Command{}
	for _, c := range New(environment(&out, &out)).Commands() {
		all[c.Name()] = c
	}
	return all
}
