package rules

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"
)

func TestTenantsAreOneOfTwo(t *testing.T) {
	for _, tenants := range []Tenants{NoTenants, ServiceAccountNamespaces} {
		assert.NoError(t, tenants.Validate())
	}
	assert.EqualError(t, Tenants("namespaces").Validate(), "namespaces must be one of none, service-account-namespaces")
}

func TestTenantOfAFlow(t *testing.T) {
	for name, c := range map[string]struct {
		tenants       Tenants
		distinguisher Distinguisher
		flow, want    string
	}{
		"a service account is of the tenant of its namespace": {ServiceAccountNamespaces, ByUser, "system:serviceaccount:shop:scaler", "shop"},
		"a user is a tenant":                                   {ServiceAccountNamespaces, ByUser, "alice", ""},
		"a node is a tenant":                                   {ServiceAccountNamespaces, ByUser, "system:node:n1", ""},
		"a group is no service account":                        {ServiceAccountNamespaces, ByUser, "system:serviceaccounts:shop", ""},
		"a namespace is a tenant, although it looks different": {ServiceAccountNamespaces, ByNamespace, "system:serviceaccount:shop:scaler", ""},
		"a flow of all requests is a tenant":                   {ServiceAccountNamespaces, ByNothing, "", ""},
		"without tenants":                                      {NoTenants, ByUser, "system:serviceaccount:shop:scaler", ""},
		"by default":                                           {"", ByUser, "system:serviceaccount:shop:scaler", ""},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, c.want, c.tenants.TenantOf(&Schema{Distinguisher: c.distinguisher}, c.flow))
		})
	}
}

// A name that k8s.io/apiserver does not read as one of a service account is a user's.
func TestServiceAccountsAreThoseOfPeer(t *testing.T) {
	for _, user := range []string{
		"system:serviceaccount:shop:scaler", "system:serviceaccount:shop", "system:serviceaccount:shop:", "system:serviceaccount::scaler",
		"system:serviceaccount:", "system:serviceaccount:a:b:c", "system:serviceaccounts:shop", "serviceaccount:a:b", "",
	} {
		namespace, _, err := serviceaccount.SplitUsername(user)
		assert.Equal(t, err == nil, namespace != "")
		assert.Equal(t, namespace, ServiceAccountNamespaces.TenantOf(&Schema{Distinguisher: ByUser}, user), user)
	}
}

func TestTenantOfAFlowDoesNotAllocate(t *testing.T) {
	schema := &Schema{Distinguisher: ByUser}
	assert.Zero(t, testing.AllocsPerRun(100, func() {
		ServiceAccountNamespaces.TenantOf(schema, "system:serviceaccount:shop:scaler")
	}))
}
