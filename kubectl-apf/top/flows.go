package top

import (
	"cmp"
	"maps"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// Flows are the flows of all replicas together.
type Flows struct {
	Flows []Flow `json:"flows"`
	// Omitted is the number of flows beyond the limit.
	Omitted int `json:"omitted,omitempty"`
	// Total is the sum over all flows, also of those beyond the limit.
	Total Flow `json:"total"`
	Origin
}

// Flow is the sum of one flow over the replicas.
type Flow struct {
	Level         string `json:"level,omitempty"`
	FlowSchema    string `json:"flowSchema,omitempty"`
	Distinguisher string `json:"distinguisher,omitempty"`
	// Tenant is the namespace whose service accounts are one tenant; empty if the flow is a tenant of its own.
	// TenantShare is the part of SeatSeconds of the priority level that the tenant used, from 0 to 1; null if
	// unknown.
	Tenant      string   `json:"tenant,omitempty"`
	TenantShare *float64 `json:"tenantShare,omitempty"`
	// SeatSeconds were used in the last minute. They may be too large by
	// SeatSecondsError. Both are null where the servers do not tell them.
	SeatSeconds      *float64 `json:"seatSeconds"`
	SeatSecondsError *float64 `json:"seatSecondsError"`
	// SeatsInUse are the seats of the requests that execute.
	SeatsInUse *int `json:"seatsInUse"`
	// Executing and Waiting are numbers of requests.
	Executing *int `json:"executing"`
	Waiting   *int `json:"waiting"`
	// OldestWaitSeconds is how long the longest waiting request has waited; null if none
	// waits.
	OldestWaitSeconds *float64 `json:"oldestWaitSeconds"`

	// seatless reports that the seats of one that executes are unknown.
	seatless bool
}

// FlowOrders returns the sort keys of OfFlows; the first is the default.
func FlowOrders() []string { return keys(flowOrders()) }

func flowOrders() []order[Flow] {
	return []order[Flow]{
		{"seat-seconds", func(a, b Flow) int {
			return cmp.Or(descending(a.SeatSeconds, b.SeatSeconds), descending(a.SeatsInUse, b.SeatsInUse), descending(a.Waiting, b.Waiting))
		}},
		{"seats", func(a, b Flow) int { return descending(a.SeatsInUse, b.SeatsInUse) }},
		{"waiting", func(a, b Flow) int { return descending(a.Waiting, b.Waiting) }},
		{"oldest", func(a, b Flow) int { return descending(a.OldestWaitSeconds, b.OldestWaitSeconds) }},
		{"name", func(Flow, Flow) int { return 0 }},
	}
}

// flowKey names a flow.
type flowKey struct{ level, schema, distinguisher string }

func (k flowKey) compare(other flowKey) int {
	return cmp.Or(cmp.Compare(k.level, other.level), cmp.Compare(k.schema, other.schema), cmp.Compare(k.distinguisher, other.distinguisher))
}

// OfFlows returns the flows that hold seats or wait, and the flows that used seats in the last
// minute where the replicas tell them. An error means that the options are invalid.
func OfFlows(now []replica.Replica, options Options) (Flows, error) {
	flows := map[flowKey]*Flow{}
	for i := range now {
		r := &now[i]
		for j := range r.Flows {
			addHeavy(flows, &r.Flows[j], r)
		}
		for j := range r.Requests {
			addRequest(flows, &r.Requests[j], r)
		}
	}
	shareTenants(flows)
	out := Flows{Origin: originOf(now), Flows: make([]Flow, 0, len(flows))}
	out.lacking("SEAT-SECONDS", now, replica.EndpointFlows)
	out.lacking("SEATS and WAITING", now, replica.EndpointRequests)
	for _, key := range slices.SortedFunc(maps.Keys(flows), flowKey.compare) {
		out.Flows = append(out.Flows, *flows[key])
		out.Total.add(flows[key])
	}
	for i := range out.Flows {
		forget(out.Total.figures(), out.Flows[i].figures())
	}
	var err error
	out.Flows, out.Omitted, err = choose(out.Flows, flowOrders(), options)
	return out, err
}

func flowNamed(flows map[flowKey]*Flow, key flowKey) *Flow {
	if flows[key] == nil {
		flows[key] = &Flow{Level: key.level, FlowSchema: key.schema, Distinguisher: key.distinguisher}
	}
	return flows[key]
}

// addHeavy adds a flow of a replica.
func addHeavy(flows map[flowKey]*Flow, heavy *replica.Flow, r *replica.Replica) {
	of := Flow{SeatSeconds: &heavy.SeatSeconds1m, SeatSecondsError: &heavy.Error1m}
	if !r.Lacks(replica.EndpointRequests) {
		of.Waiting = new(0)
	}
	if r.TellsExecuting(heavy.Level) {
		of.SeatsInUse, of.Executing = new(0), new(0)
	}
	of.Tenant = heavy.Tenant
	flowNamed(flows, flowKey{heavy.Level, heavy.FlowSchema, heavy.Distinguisher}).add(&of)
}

func addRequest(flows map[flowKey]*Flow, request *replica.Request, r *replica.Replica) {
	of := Flow{SeatsInUse: request.Seats(), Executing: new(1), Waiting: new(0)}
	if request.Started.IsZero() {
		of = Flow{SeatsInUse: new(0), Executing: new(0), Waiting: new(1), OldestWaitSeconds: r.Since(request.Arrived)}
	}
	if !r.TellsExecuting(request.Level) {
		of.Executing, of.SeatsInUse = nil, nil
	}
	of.seatless, of.Tenant = of.SeatsInUse == nil, request.Tenant
	flowNamed(flows, flowKey{request.Level, request.FlowSchema, request.Distinguisher}).add(&of)
}

// figures are what each dump of requests tells.
func (f *Flow) figures() []**int { return []**int{&f.SeatsInUse, &f.Executing, &f.Waiting} }

// add adds the figures of another flow to the flow's.
func (f *Flow) add(other *Flow) {
	if f.FlowSchema != "" { // the sum has none
		f.Tenant = cmp.Or(f.Tenant, other.Tenant)
	}
	others := other.figures()
	for i, figure := range f.figures() {
		replica.Add(figure, *others[i])
	}
	if f.seatless = f.seatless || other.seatless; f.seatless {
		f.SeatsInUse = nil
	}
	replica.Add(&f.SeatSeconds, other.SeatSeconds)
	replica.Add(&f.SeatSecondsError, other.SeatSecondsError)
	longer(&f.OldestWaitSeconds, other.OldestWaitSeconds)
}
