package explain

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// On a level of 30 seats two flows of the request's tenant are active, another tenant with two flows, and a flow
// that is a tenant. So its tenant gets a third.
func TestTheTenantOfARequestAndItsShare(t *testing.T) {
	request := func(user, tenant string) replica.Request {
		return replica.Request{Level: "workload-low", FlowSchema: "service-accounts", Distinguisher: user, Tenant: tenant, Arrived: epoch}
	}
	in := input()
	in.Configuration.Own, in.Configuration.Tenants = true, rules.ServiceAccountNamespaces
	in.Replicas = []replica.Replica{{
		Name: "a", Taken: epoch,
		Metrics: replica.Metrics{Levels: map[string]replica.LevelMetrics{"workload-low": {Nominal: new(30), Lower: new(30), Upper: new(30), Current: new(30), SeatsInUse: new(30)}}},
		Requests: []replica.Request{
			request("system:serviceaccount:ci:other", "ci"), request("system:serviceaccount:shop:a", "shop"),
			request("system:serviceaccount:shop:b", "shop"), request("alone", ""),
		},
	}}
	a := explained(t, in, "get pods web -n ci --as=system:serviceaccount:ci:runner")
	assert.Equal(t, "ci", a.Flow.Tenant)
	assert.Equal(t, &Tenant{Tenants: 3, Flows: 2, FairSeats: 10}, a.Replicas[0].Tenant)
	assert.Contains(t, a.tenantText(), "the service accounts of namespace ci in flow schema service-accounts")
	assert.Contains(t, a.tenantText(), "now 10.0 seats on a, 1/3 of the limit, for 2 flows")

	in.Configuration.Tenants = rules.NoTenants
	a = explained(t, in, "get pods web -n ci --as=system:serviceaccount:ci:runner")
	assert.Empty(t, a.Flow.Tenant)
	assert.Nil(t, a.Replicas[0].Tenant)
}
