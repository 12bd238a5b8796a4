package agreement_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestLintAndKubeAPIServer compares what lint knows without a cluster with a kube-apiserver
// that serves all its API groups, and reads what kubectl saves of it.
func TestLintAndKubeAPIServer(t *testing.T) {
	kube := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{
		Etcd: harness.StartEtcd(t, harness.EtcdOptions{}), Args: []string{"--runtime-config=api/all=true"},
	})
	t.Run("scopes of the built-in resources", func(t *testing.T) { testScopes(t, &kube.APIServer) })
	t.Run("kubectl cluster-info dump", func(t *testing.T) { testClusterInfoDump(t, &kube.APIServer) })
}

// testScopes writes rules for one object of each resource, with a namespace and without:
// exactly the one that the server would not serve is FC114, so lint knows each resource.
func testScopes(t *testing.T, kube *harness.APIServer) {
	client, err := discovery.NewDiscoveryClientForConfig(kube.Config(t))
	require.NoError(t, err)
	_, lists, err := client.ServerGroupsAndResources()
	require.NoError(t, err)
	requireBuiltIn(t, lists)
	checked := 0
	for _, list := range lists {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(t, err)
		for i := range list.APIResources {
			r := &list.APIResources[i]
			if strings.Contains(r.Name, "/") || r.Name == "namespaces" {
				continue // a Namespace is named by the namespace of the request
			}
			checked++
			assert.Equal(t, !r.Namespaced, isNever(version.Group, r.Name, true), "%s of %q with a namespace", r.Name, version.Group)
			assert.Equal(t, r.Namespaced, isNever(version.Group, r.Name, false), "%s of %q without a namespace", r.Name, version.Group)
		}
	}
	assert.Greater(t, checked, 60)
}

// isNever reports whether lint finds that no request for one object of the resource has a
// namespace, or none.
func isNever(group, resource string, inNamespace bool) bool {
	rule := flowcontrolv1.ResourcePolicyRule{Verbs: []string{"get"}, APIGroups: []string{group}, Resources: []string{resource}, ClusterScope: !inNamespace}
	if inNamespace {
		rule.Namespaces = []string{"*"}
	}
	written := &flowcontrolv1.FlowSchema{}
	written.Name = "written"
	written.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{
		Subjects:      []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "alice"}}},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{rule},
	}}
	found := lint.Check(lint.Bundle{FlowSchemas: []*flowcontrolv1.FlowSchema{written}})
	return slices.ContainsFunc(found, func(f lint.Finding) bool { return f.Code == lint.ImpossibleScope })
}

// testClusterInfoDump reads a dump of kubectl, which has nothing about flow control: that is
// said, with its files. What kubectl get --raw prints beside it is read.
func testClusterInfoDump(t *testing.T, kube *harness.APIServer) {
	dumps := t.TempDir()
	kubectl := harness.NewKubectl(t, kube.Kubeconfig)
	kubectl.Run(t, "cluster-info", "dump", "--all-namespaces", "--output-directory="+dumps)
	read, err := source.New(source.Options{Dumps: dumps})
	require.NoError(t, err)
	_, err = read.Replicas(t.Context(), source.Want{Levels: true, Required: true})
	require.ErrorContains(t, err, "has neither flow schemas nor answers of an API server")
	require.ErrorContains(t, err, "default/daemonsets.json")

	raw := kubectl.Run(t, "get", "--raw", "/debug/api_priority_and_fairness/dump_priority_levels")
	require.NoError(t, os.WriteFile(filepath.Join(dumps, "levels.txt"), []byte(raw), 0o600))
	read, err = source.New(source.Options{Dumps: dumps}) // a source reads its files once
	require.NoError(t, err)
	replicas, err := read.Replicas(t.Context(), source.Want{Levels: true, Required: true})
	require.NoError(t, err)
	require.Len(t, replicas, 1)
	assert.Len(t, replicas[0].Levels, 8)
}
