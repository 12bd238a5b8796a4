package top

import (
	"strconv"

	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// shareTenants sets the tenants' shares.
func shareTenants(flows map[flowKey]*Flow) {
	type tenant struct{ level, schema, name string }
	levels, tenants := map[string]float64{}, map[tenant]float64{}
	for key, flow := range flows {
		used := ptr.Deref(flow.SeatSeconds, 0)
		levels[key.level] += used
		tenants[tenant{key.level, key.schema, flow.Tenant}] += used
	}
	for key, flow := range flows {
		if of := levels[key.level]; flow.Tenant != "" && of > 0 {
			flow.TenantShare = new(tenants[tenant{key.level, key.schema, flow.Tenant}] / of)
		}
	}
}

// share formats a part.
func share(part *float64) string {
	if part == nil {
		return table.Dash
	}
	return strconv.FormatFloat(100**part, 'f', 0, 64) + "%"
}
