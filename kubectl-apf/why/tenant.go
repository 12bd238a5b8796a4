package why

import (
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// tenant is who a share is for: several flows, or one, which has no name.
type tenant struct {
	schema, name string
	flow         flowKey // if it is a tenant of its own
}

// tenantOf returns the tenant of a flow.
func (i *Inquiry) tenantOf(key flowKey) tenant {
	schema := rules.Schema{Distinguisher: rules.ByNamespace}
	if i.dividesByUser(key.schema) {
		schema.Distinguisher = rules.ByUser
	}
	if name := i.configuration.Tenants.TenantOf(&schema, key.distinguisher); name != "" {
		return tenant{schema: key.schema, name: name}
	}
	return tenant{flow: key}
}

// fairShares returns the fair share of a flow of the level and of its tenant, in seat-seconds, where the
// others demand so much.
func (s *levelState) fairShares(key flowKey, demand func(amount) float64) (flow, whole float64) {
	others := map[tenant]float64{}
	var siblings []float64
	for _, other := range s.keys {
		switch {
		case other == key:
		case s.tenants[other] == s.tenants[key]:
			siblings = append(siblings, demand(s.demands[other]))
		default:
			others[s.tenants[other]] += demand(s.demands[other])
		}
	}
	whole = fairShare(s.capacity, slices.Collect(maps.Values(others)))
	return fairShare(whole, siblings), whole
}
