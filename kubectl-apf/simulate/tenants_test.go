package simulate

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

func TestTheEngineOfThisServerHasTheTenantsOfTheConfiguration(t *testing.T) {
	c, err := configuration.BuiltIn("1.33")
	require.NoError(t, err)
	for tenants, want := range map[rules.Tenants]string{rules.ServiceAccountNamespaces: "shop", rules.NoTenants: ""} {
		c.Tenants = tenants
		control, err := newReplica(APF, &timeline{origin: time.Unix(0, 0)}, c)
		require.NoError(t, err)
		r := control.begin()
		r.Attributes.User, r.Attributes.Groups = "system:serviceaccount:shop:scaler", []string{"system:serviceaccounts", "system:authenticated"}
		r.Attributes.Verb, r.Attributes.IsResourceRequest, r.Attributes.Resource = "list", true, "pods"
		r.Classify()
		assert.Equal(t, want, r.Tenant, tenants)
		r.End()
	}
}
