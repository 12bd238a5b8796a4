package explain

import (
	"fmt"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Tenant is what a tenant would get on an API server if this request waited there.
type Tenant struct {
	// Tenants are the active tenants of the priority level, and Flows the active flows of this tenant. Both
	// include the request.
	Tenants int `json:"tenants"`
	Flows   int `json:"flows"`
	// FairSeats is the part of the current limit that the tenant gets if all ask for more.
	FairSeats float64 `json:"fairSeats"`
}

// tenantAt returns the state of the tenant of a flow; nil if it has none, or if the dumps do not tell its requests.
func tenantAt(state *replica.Replica, a *Answer, current int) *Tenant {
	if a.Flow.Tenant == "" || state.Lacks(replica.EndpointRequests) {
		return nil
	}
	type flow struct{ schema, distinguisher string }
	own := flow{a.FlowSchema.Name, a.Flow.Distinguisher}
	flows, others := map[flow]bool{own: true}, map[flow]bool{}
	for i := range state.Requests {
		r := &state.Requests[i]
		switch {
		case r.Level != a.PriorityLevel.Name:
		case r.FlowSchema == own.schema && r.Tenant == a.Flow.Tenant:
			flows[flow{r.FlowSchema, r.Distinguisher}] = true
		case r.Tenant != "":
			others[flow{r.FlowSchema, "tenant " + r.Tenant}] = true
		default:
			others[flow{r.FlowSchema, r.Distinguisher}] = true
		}
	}
	tenants := len(others) + 1
	return &Tenant{Tenants: tenants, Flows: len(flows), FairSeats: float64(current) / float64(tenants)}
}

// tenantText says who shares the seats of the flow, and how many they are.
func (a *Answer) tenantText() string {
	text := fmt.Sprintf("the service accounts of namespace %s in flow schema %s: together they get the share of one other flow", a.Flow.Tenant, a.FlowSchema.Name)
	var parts []string
	for i := range a.Replicas {
		if t := a.Replicas[i].Tenant; t != nil {
			parts = append(parts, fmt.Sprintf("now %.1f seats on %s, 1/%d of the limit, for %s", t.FairSeats, a.Replicas[i].Name, t.Tenants, table.Count(t.Flows, "flow")))
		}
	}
	return strings.Join(append([]string{text}, parts...), "; ")
}
