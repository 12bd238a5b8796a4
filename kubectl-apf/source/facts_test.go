package source_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// observedAnswers are those about the rest of a cluster, with a webhook and an
// aggregated server.
func observedAnswers() map[string]answer {
	return map[string]answer{
		"/api":  ok(`{"kind":"APIVersions","versions":["v1"]}`),
		"/apis": ok(`{"kind":"APIGroupList","apiVersion":"v1","groups":[{"name":"flowcontrol.apiserver.k8s.io","versions":[{"groupVersion":"flowcontrol.apiserver.k8s.io/v1beta3","version":"v1beta3"},{"groupVersion":"flowcontrol.apiserver.k8s.io/v1","version":"v1"}],"preferredVersion":{"groupVersion":"flowcontrol.apiserver.k8s.io/v1","version":"v1"}}]}`),
		"/api/v1": ok(`{"kind":"APIResourceList","groupVersion":"v1","resources":[
			{"name":"pods","kind":"Pod","namespaced":true,"verbs":["get","list"]},{"name":"pods/log","kind":"Pod","namespaced":true,"verbs":["get"]}]}`),
		groupPath + "/v1":         ok(`{"kind":"APIResourceList","groupVersion":"flowcontrol.apiserver.k8s.io/v1","resources":[{"name":"flowschemas","kind":"FlowSchema","verbs":["list"]}]}`),
		groupPath + "/v1beta3":    ok(`{"kind":"APIResourceList","groupVersion":"flowcontrol.apiserver.k8s.io/v1beta3","resources":[]}`),
		"/api/v1/namespaces":      ok(`{"items":[{"metadata":{"name":"kube-system"}},{"metadata":{"name":"default"}}]}`),
		"/api/v1/serviceaccounts": ok(`{"items":[{"metadata":{"name":"b","namespace":"ns"}},{"metadata":{"name":"a","namespace":"ns"}}]}`),
		"/apis/apiregistration.k8s.io/v1/apiservices": ok(`{"items":[{"metadata":{"name":"v1."},"spec":{"group":""}},
			{"metadata":{"name":"v1beta1.metrics.k8s.io"},"spec":{"group":"metrics.k8s.io","service":{"namespace":"kube-system","name":"metrics-server"}}}]}`),
		"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations": ok(`{"items":[{"metadata":{"name":"policy"},"webhooks":[{"name":"a.b.c",
			"clientConfig":{"service":{"namespace":"policy","name":"hook"}},
			"rules":[{"apiGroups":["apps"],"apiVersions":["*"],"resources":["deployments"],"operations":["CREATE","UPDATE"],"scope":"Namespaced"}]}]}]}`),
		"/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations": ok(`{"items":[{"metadata":{"name":"outside"},"webhooks":[{"name":"d.e.f",
			"clientConfig":{"url":"https://example.com"},"rules":[{"apiGroups":["*"],"apiVersions":["*"],"resources":["*"],"operations":["*"],"scope":"*"},
			{"apiGroups":[""],"apiVersions":["v1"],"resources":["nodes"],"operations":["DELETE","CONNECT"],"scope":"Cluster"}]}]}]}`),
		"/api/v1/namespaces/kube-system/services/metrics-server": ok(`{"spec":{"selector":{"app":"metrics"}}}`),
		"/api/v1/namespaces/kube-system/pods":                    ok(`{"items":[{"spec":{"serviceAccountName":"metrics-server"}}]}`),
		"/api/v1/namespaces/policy/services/hook":                forbidden(),
	}
}

func TestFactsOfACluster(t *testing.T) {
	server := startServer(t, observedAnswers())
	facts, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Facts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []string{"default", "kube-system"}, facts.Namespaces)
	assert.Equal(t, map[string][]string{"ns": {"a", "b"}}, facts.ServiceAccounts)
	assert.Equal(t, []string{"v1", "v1beta3"}, facts.ServedVersions, "the preferred one first")
	assert.Equal(t, "labelSelector=app%3Dmetrics&limit=1", server.requestsOf("/api/v1/namespaces/kube-system/pods")[0].URL.RawQuery, "one pod is enough")
	assert.ElementsMatch(t, []lint.Resource{
		{Name: "pods", Namespaced: true}, {Name: "pods/log", Namespaced: true}, {Group: "flowcontrol.apiserver.k8s.io", Name: "flowschemas"},
	}, facts.Resources)
	all := []string{"*"}
	assert.Equal(t, []lint.Server{
		{
			Object: lint.Object{Kind: "APIService", Name: "v1beta1.metrics.k8s.io"}, Namespace: "kube-system", ServiceAccount: "metrics-server",
			Requests: []flowcontrolv1.ResourcePolicyRule{{Verbs: all, APIGroups: []string{"metrics.k8s.io"}, Resources: all, ClusterScope: true, Namespaces: all}},
		},
		{
			Object: lint.Object{Kind: "MutatingWebhookConfiguration", Name: "outside"},
			Requests: []flowcontrolv1.ResourcePolicyRule{
				{Verbs: all, APIGroups: all, Resources: all, ClusterScope: true, Namespaces: all},
				{Verbs: []string{"delete", "deletecollection", "get", "create"}, APIGroups: []string{""}, Resources: []string{"nodes"}, ClusterScope: true},
			},
		},
		{
			Object: lint.Object{Kind: "ValidatingWebhookConfiguration", Name: "policy"}, Namespace: "policy",
			Requests: []flowcontrolv1.ResourcePolicyRule{{
				Verbs: []string{"create", "update", "patch"}, APIGroups: []string{"apps"}, Resources: []string{"deployments"}, Namespaces: all,
			}},
		},
	}, facts.Servers)
	assert.Equal(t, "service accounts of webhooks and API services: "+server.URL+` forbids it: the permission "get" on services in the namespace "policy" is missing.`, whys(facts.Missing))
}

func TestFactsWithoutRights(t *testing.T) {
	answers := observedAnswers()
	for _, path := range []string{
		"/api/v1/namespaces", "/api/v1/serviceaccounts", "/apis/apiregistration.k8s.io/v1/apiservices",
		"/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", "/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations",
	} {
		answers[path] = forbidden()
	}
	server := startServer(t, answers)
	facts, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Facts(t.Context())
	require.NoError(t, err)
	assert.Nil(t, facts.Namespaces)
	assert.Nil(t, facts.ServiceAccounts)
	assert.NotNil(t, facts.Resources)
	assert.Empty(t, facts.Servers)
	missing := whys(facts.Missing)
	assert.Len(t, facts.Missing, 5)
	assert.Contains(t, missing, `the permission "list" on namespaces is missing.`)
	assert.Contains(t, missing, `the permission "list" on apiservices.apiregistration.k8s.io is missing.`)
	assert.Contains(t, missing, `the permission "list" on mutatingwebhookconfigurations.admissionregistration.k8s.io is missing.`)
}

func TestResourcesAreUnknownIfAGroupDoesNotAnswer(t *testing.T) {
	answers := observedAnswers()
	answers[groupPath+"/v1"] = rejection(503, "ServiceUnavailable", "away")
	server := startServer(t, answers)
	facts, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Facts(t.Context())
	require.NoError(t, err)
	assert.Nil(t, facts.Resources)
	assert.Contains(t, whys(facts.Missing), "discovery: Not all resources are known: ")
}

func TestFactsOfAServerAlone(t *testing.T) {
	answers := observedAnswers()
	for path := range answers {
		if path != "/apis" && !strings.HasPrefix(path, groupPath) {
			delete(answers, path)
		}
	}
	server := startServer(t, answers)
	facts, err := newSource(t, source.Options{Cluster: clusterOf(t, server.Server)}).Facts(t.Context())
	require.NoError(t, err)
	assert.Nil(t, facts.Namespaces)
	assert.Len(t, facts.Resources, 1)
	assert.Empty(t, facts.Missing)
}
