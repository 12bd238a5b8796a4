//go:build !race

// See example_test.go.

package server

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
)

// A name counts before authorization: the request of the service account is forbidden, and its flow is known.
func TestServiceAccountsOfANamespaceAreOneTenant(t *testing.T) {
	config := startClocked(t, func(config *Config) { config.Tenants = rules.ServiceAccountNamespaces }).LoopbackClientConfig()
	administrator, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	account := rest.CopyConfig(config)
	account.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:shop:scaler"}
	scaler, err := versioned.NewForConfig(account)
	require.NoError(t, err)
	eventually.Holds(t, "top_flows names the tenant", func(a *eventually.Attempt) {
		// Just after the start, the built-in flow schemas may not be applied yet: only catch-all, whose level has no tenants.
		_, err := scaler.FlowcontrolV1().FlowSchemas().List(a.Context(), metav1.ListOptions{})
		require.True(a, apierrors.IsForbidden(err), "%v", err)
		body, err := administrator.Discovery().RESTClient().Get().AbsPath("/debug/api_priority_and_fairness/top_flows").
			SetHeader("Accept", "application/json").DoRaw(a.Context())
		require.NoError(a, err)
		var rows []struct{ FlowDistinguisher, Tenant string }
		require.NoError(a, json.Unmarshal(body, &rows))
		assert.Contains(a, rows, struct{ FlowDistinguisher, Tenant string }{account.Impersonate.UserName, "shop"})
	})
}
