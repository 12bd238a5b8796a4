//go:build long

package behind

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// policies is the number of ValidatingAdmissionPolicies, and of their bindings.
const policies = 500

// TestHundredsOfPolicies starts this server behind a kube-apiserver with 500 policies for the
// objects of others, as libraries of policies have them, and one for FlowSchemas. It takes a minute.
func TestHundredsOfPolicies(t *testing.T) {
	kube := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: harness.StartEtcd(t, harness.EtcdOptions{})})
	config := kube.Config(t)
	config.QPS = -1
	client, err := kubernetes.NewForConfig(config)
	require.NoError(t, err)
	start := func() *harness.Server {
		return harness.StartServer(t, harness.ServerOptions{Args: []string{"--kubeconfig=" + kube.Kubeconfig}})
	}
	admin := func(server *harness.Server) *rest.Config { // by a TokenReview
		return &rest.Config{Host: server.URL, BearerToken: config.BearerToken, TLSClientConfig: rest.TLSClientConfig{Insecure: true}}
	}
	begun := time.Now()
	few := start()
	tookFew, heapFew, heapKube := time.Since(begun), heapOf(t, admin(few)), heapOf(t, config)

	for n := range policies {
		createPolicy(t, client, fmt.Sprintf("others-%d", n), admissionregistrationv1.Rule{APIGroups: []string{"", "apps"}, APIVersions: []string{"*"}, Resources: []string{"pods", "deployments"}}, typical(n))
	}
	createPolicy(t, client, "ours", admissionregistrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"*"}, Resources: []string{"flowschemas"}},
		[]admissionregistrationv1.Validation{{Expression: "object.metadata.name != 'early'", Message: "too early"}})

	begun = time.Now()
	many := start()
	tookMany := time.Since(begun)
	schemas, err := kubernetes.NewForConfig(admin(many))
	require.NoError(t, err)
	eventually.Holds(t, "the policy for FlowSchemas applies", func(a *eventually.Attempt) {
		_, err := schemas.FlowcontrolV1().FlowSchemas().Create(context.Background(), early(), metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		require.Truef(a, apierrors.IsInvalid(err), "%v", err)
		require.Contains(a, err.Error(), "too early")
	})
	heapMany, heapKubeMany := heapOf(t, admin(many)), heapOf(t, config)
	t.Logf("heap: this server %.1f MB, with %d policies %.1f MB; kube-apiserver %.1f MB, with them %.1f MB; ready after %v, with them %v",
		heapFew/1e6, policies, heapMany/1e6, heapKube/1e6, heapKubeMany/1e6, tookFew.Round(time.Millisecond), tookMany.Round(time.Millisecond))
	assert.Less(t, heapMany-heapFew, (heapKubeMany-heapKube)/4, "what the policies take")
}

// typical are validations as policies for pods have them.
func typical(n int) []admissionregistrationv1.Validation {
	return []admissionregistrationv1.Validation{
		{Expression: "variables.containers.all(c, has(c.resources) && has(c.resources.limits) && has(c.resources.limits.memory))", MessageExpression: fmt.Sprintf("'%d: limits: ' + string(size(variables.containers))", n)},
		{Expression: "variables.containers.all(c, !c.image.endsWith(':latest') && c.image.matches('^registry[.]example[.]com/[a-z0-9/-]+:[a-z0-9.-]+$'))", Message: "images"},
		{Expression: "!has(object.spec.hostNetwork) || object.spec.hostNetwork == false", Message: "host network"},
		{Expression: "object.metadata.?labels['team'].orValue('') != '' && namespaceObject.metadata.name != 'default'", Message: "labels"},
	}
}

func createPolicy(t *testing.T, client kubernetes.Interface, name string, rule admissionregistrationv1.Rule, validations []admissionregistrationv1.Validation) {
	t.Helper()
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionregistrationv1.MatchResources{ResourceRules: []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: admissionregistrationv1.RuleWithOperations{
				Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create, admissionregistrationv1.Update}, Rule: rule,
			}}}},
			MatchConditions: []admissionregistrationv1.MatchCondition{{Name: "not-the-system", Expression: "!('system:masters-of-all' in request.userInfo.groups)"}},
			Variables:       []admissionregistrationv1.Variable{{Name: "containers", Expression: "object.spec.?containers.orValue([]) + object.spec.?initContainers.orValue([])"}},
			Validations:     validations,
		},
	}
	_, err := client.AdmissionregistrationV1().ValidatingAdmissionPolicies().Create(t.Context(), policy, metav1.CreateOptions{})
	require.NoError(t, err)
	binding := &admissionregistrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny}},
	}
	_, err = client.AdmissionregistrationV1().ValidatingAdmissionPolicyBindings().Create(t.Context(), binding, metav1.CreateOptions{})
	require.NoError(t, err)
}

// early is a FlowSchema that the policy for FlowSchemas rejects.
func early() *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "early"},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence: 100, PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "catch-all"},
		},
	}
}

// heapOf returns the bytes that are in use after a garbage collection.
func heapOf(t *testing.T, config *rest.Config) float64 {
	t.Helper()
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	read := func(path string) string {
		response, err := client.Get(config.Host + path)
		require.NoError(t, err)
		defer func() { _ = response.Body.Close() }()
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		require.Equal(t, http.StatusOK, response.StatusCode, "%.200s", body)
		return string(body)
	}
	read("/debug/pprof/heap?gc=1")
	values, err := scrape.Parse(read("/metrics"), "go_memstats_heap_alloc_bytes")
	require.NoError(t, err)
	return values.Sum("go_memstats_heap_alloc_bytes")
}
