package artifacts

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	artifact "github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/monitoring"
)

// monitor has the fields of a ServiceMonitor and of a PodMonitor that are used.
type monitor struct {
	Spec struct {
		Selector                       metav1.LabelSelector
		JobLabel                       string
		Endpoints, PodMetricsEndpoints []struct {
			Port, Scheme string
			TLSConfig    struct {
				CA         struct{ Secret corev1.SecretKeySelector }
				ServerName string
			}
		}
		NamespaceSelector struct{ MatchNames []string }
	}
}

// custom returns the object of a custom kind, of whose fields T has some.
func custom[T any](t *testing.T, objects []*unstructured.Unstructured, kind string) (found T) {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == kind {
			encoded, err := json.Marshal(object.Object)
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(encoded, &found))
			return found
		}
	}
	require.Fail(t, "there is none", kind)
	return found
}

// testPodMonitor compares the scrape of etcd with its pods, and with what lets it in.
func testPodMonitor(t *testing.T, monitoring, deployed []*unstructured.Unstructured) {
	t.Helper()
	pods := custom[monitor](t, monitoring, "PodMonitor").Spec
	members := find[appsv1.StatefulSet](t, deployed, "StatefulSet", "flowcontrol-etcd").Spec.Template
	for _, object := range deployed {
		if template := podTemplate(t, object); template != nil {
			assert.Equal(t, object.GetKind() == "StatefulSet", selects(t, &pods.Selector, template.Labels), object.GetName())
		}
	}
	require.Len(t, pods.PodMetricsEndpoints, 1)
	endpoint := pods.PodMetricsEndpoints[0]
	assert.True(t, slices.ContainsFunc(members.Spec.Containers[0].Ports, func(port corev1.ContainerPort) bool { return port.Name == endpoint.Port }))
	assert.Contains(t, members.Spec.Containers[0].Args, "--listen-metrics-urls="+endpoint.Scheme+"://0.0.0.0:2381")
	assert.True(t, admits(t, deployed, labels.Set{"app.kubernetes.io/name": "prometheus"}, members.Labels, endpoint.Port))
	assert.Equal(t, []string{cluster.Namespace}, pods.NamespaceSelector.MatchNames)
	rules, _, err := artifact.Rules()
	require.NoError(t, err)
	assert.Contains(t, rules, fmt.Sprintf("up{job=~%q}", members.Labels[pods.JobLabel]))
}

func TestMonitoringFitsTheServerThatItWatches(t *testing.T) {
	objects := render(t, "monitoring")
	services := custom[monitor](t, objects, "ServiceMonitor").Spec
	deployed := render(t, "")
	service := find[corev1.Service](t, deployed, "Service", cluster.Deployment)
	selector, err := metav1.LabelSelectorAsSelector(&services.Selector)
	require.NoError(t, err)
	for _, object := range deployed {
		if object.GetKind() == "Service" {
			assert.Equal(t, object.GetName() == service.Name, selector.Matches(labels.Set(object.GetLabels())), object.GetName())
		}
	}
	require.Len(t, services.Endpoints, 1)
	endpoint := services.Endpoints[0]
	assert.Equal(t, service.Spec.Ports[0].Name, endpoint.Port)
	assert.Equal(t, "https", endpoint.Scheme)
	assert.Equal(t, cluster.ServerName, endpoint.TLSConfig.ServerName)
	assert.Equal(t, "flowcontrol-apiserver-serving", endpoint.TLSConfig.CA.Secret.Name)
	assert.Equal(t, []string{cluster.Namespace}, services.NamespaceSelector.MatchNames)

	testPodMonitor(t, objects, deployed)

	dashboard := find[corev1.ConfigMap](t, objects, "ConfigMap", "flowcontrol-apiserver-dashboard")
	assert.Equal(t, "1", dashboard.Labels["grafana_dashboard"])
	assert.True(t, json.Valid([]byte(dashboard.Data["flowcontrol-apiserver.json"])))
	custom[struct{}](t, objects, "PrometheusRule")
	for _, kind := range []string{"RoleBinding", "ClusterRoleBinding"} {
		name := map[string]string{"RoleBinding": "flowcontrol-apiserver:discovery", "ClusterRoleBinding": "flowcontrol-apiserver:metrics"}[kind]
		binding := find[rbacv1.RoleBinding](t, objects, kind, name)
		assert.Equal(t, []rbacv1.Subject{{Kind: "ServiceAccount", Namespace: "monitoring", Name: "prometheus-k8s"}}, binding.Subjects)
	}
	discovery := find[rbacv1.Role](t, objects, "Role", "flowcontrol-apiserver:discovery")
	assert.Equal(t, []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"pods", "services", "endpoints"}, Verbs: []string{"get", "list", "watch"}},
		{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: []string{"get", "list", "watch"}},
	}, discovery.Rules)
}
