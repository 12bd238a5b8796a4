package artifacts

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// serviceMonitor has the fields of the ServiceMonitor that are used.
type serviceMonitor struct {
	Spec struct {
		Selector  metav1.LabelSelector
		Endpoints []struct {
			Port, Scheme, BearerTokenFile string
			TLSConfig                     struct {
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

func TestMonitoringFitsTheServerThatItWatches(t *testing.T) {
	objects := render(t, "monitoring")
	monitor := custom[serviceMonitor](t, objects, "ServiceMonitor").Spec
	deployed := render(t, "")
	service := find[corev1.Service](t, deployed, "Service", cluster.Deployment)
	selector, err := metav1.LabelSelectorAsSelector(&monitor.Selector)
	require.NoError(t, err)
	for _, object := range deployed {
		if object.GetKind() == "Service" {
			assert.Equal(t, object.GetName() == service.Name, selector.Matches(labels.Set(object.GetLabels())), object.GetName())
		}
	}
	require.Len(t, monitor.Endpoints, 1)
	endpoint := monitor.Endpoints[0]
	assert.Equal(t, service.Spec.Ports[0].Name, endpoint.Port)
	assert.Equal(t, "https", endpoint.Scheme)
	assert.Equal(t, cluster.ServerName, endpoint.TLSConfig.ServerName)
	assert.Equal(t, "flowcontrol-apiserver-serving", endpoint.TLSConfig.CA.Secret.Name)
	assert.Equal(t, []string{cluster.Namespace}, monitor.NamespaceSelector.MatchNames)

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
