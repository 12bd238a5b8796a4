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

// helpRights are the rights in the help of each command, by its name.
func helpRights(t *testing.T) map[string][]string {
	t.Helper()
	var out bytes.Buffer
	rights := map[string][]string{}
	for _, c := range New(environment(&out, &out)).Commands() {
		for line := range strings.Lines(c.Long) {
			fields := strings.Fields(strings.ReplaceAll(line, ",", ""))
			if !strings.HasPrefix(line, "  ") || len(fields) < 2 || !slices.Contains([]string{"get", "list", "create"}, fields[0]) {
				continue
			}
			group := ""
			if last := fields[len(fields)-1]; strings.HasPrefix(last, "(") {
				group, fields = strings.Trim(last, "()"), fields[:len(fields)-1]
			}
			for _, what := range fields[1:] {
				if !strings.HasPrefix(what, "/") {
					what = group + "/" + what
				}
				rights[c.Name()] = append(rights[c.Name()], fields[0]+" "+what)
			}
		}
	}
	return rights
}

func TestClusterRoleHasExactlyTheRightsOfTheHelp(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "artifacts", "kubectl-apf", "clusterrole.yaml"))
	require.NoError(t, err)
	var role rbacv1.ClusterRole
	require.NoError(t, yaml.UnmarshalStrict(text, &role))
	all := slices.Concat(slices.Collect(maps.Values(helpRights(t)))...)
	slices.Sort(all)
	assert.Equal(t, slices.Compact(all), flat(role.Rules))
	for _, right := range flat(role.Rules) {
		verb, what, _ := strings.Cut(right, " ")
		assert.True(t, verb == "get" || verb == "list" || what == "authentication.k8s.io/selfsubjectreviews", "%s is not a right to read", right)
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
		"isolate": {{"--service-account=shop/default"}, {"--for=deployment/robot"}, {"--for=daemonset/robot"}, {"--for=statefulset/robot"}},
	}
}

func TestCommandsMakeOnlyTheRequestsThatTheirHelpSays(t *testing.T) {
	rights := helpRights(t)
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
				assert.True(t, allows(rights[name], right), "%s makes a request that needs the right %q", name, right)
			}
			maps.Copy(used, server.used)
			assert.Equal(t, map[string]bool{"kubectl-apf/v" + release: true}, server.agents, "audit logs tell who asks")
		})
	}
	for _, granted := range slices.Concat(slices.Collect(maps.Values(rights))...) {
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
		{"top without endpoint slices", []string{"top", "--interval=0"}, "list discovery.k8s.io/endpointslices", statusOK, []string{"workload-low", "endpointslices"}},
		{"lint without namespaces", []string{"lint"}, "list /namespaces", statusOK, []string{"objects checked", `"list" on namespaces`}},
		{"explain without debug endpoints", []string{"explain", "list", "pods"}, "get /debug/api_priority_and_fairness/dump_queues", statusOK, []string{"global-default"}},
		{"explain without the name of the user", []string{"explain", "list", "pods"}, "create authentication.k8s.io/selfsubjectreviews", statusFailed, []string{"--as"}},
		{"isolate without roles", []string{"isolate", "--service-account=shop/default"}, "list rbac.authorization.k8s.io/clusterroles", statusOK, []string{"shop-default-leases", `"list" on clusterroles`}},
		{"isolate without the service account", []string{"isolate", "--service-account=shop/default"}, "get /serviceaccounts", statusFailed, []string{`"get" on serviceaccounts`}},
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
