package replica

import (
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// Tenants returns which flows are one tenant, as far as the flows that the replicas show tell it.
func Tenants(replicas []Replica) rules.Tenants {
	for i := range replicas {
		if slices.ContainsFunc(replicas[i].Flows, func(f Flow) bool { return f.Tenant != "" }) ||
			slices.ContainsFunc(replicas[i].Requests, func(r Request) bool { return r.Tenant != "" }) {
			return rules.ServiceAccountNamespaces
		}
	}
	return rules.NoTenants
}
