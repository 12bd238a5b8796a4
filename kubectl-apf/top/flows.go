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
	// SeatSeconds were used in the last minute. They may be too large by
	// SeatSecondsError. Both are null where the servers do not tell them.
	SeatSeconds      *float64 `json:"seatSeconds"`
	SeatSecondsError *float64 `json:"seatSecondsError"`
	// SeatsInUse are the initial seats of the requests that execute.
	SeatsInUse int `json:"seatsInUse"`
	// Executing and Waiting are numbers of requests.
	Executing int `json:"executing"`
	Waiting   int `json:"waiting"`
	// OldestWaitSeconds is how long the longest waiting request has waited; null if none
	// waits.
	OldestWaitSeconds *float64 `json:"oldestWaitSeconds"`
}

// FlowOrders returns the sort keys of OfFlows; the first is the default.
func FlowOrders() []string { return keys(flowOrders()) }

func flowOrders() []order[Flow] {
	return []order[Flow]{
		{"seat-seconds", func(a, b Flow) int {
			return cmp.Or(descending(a.SeatSeconds, b.SeatSeconds), cmp.Compare(b.SeatsInUse, a.SeatsInUse), cmp.Compare(b.Waiting, a.Waiting))
		}},
		{"seats", func(a, b Flow) int { return cmp.Compare(b.SeatsInUse, a.SeatsInUse) }},
		{"waiting", func(a, b Flow) int { return cmp.Compare(b.Waiting, a.Waiting) }},
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
			addHeavy(flows, &r.Flows[j])
		}
		for j := range r.Requests {
			addRequest(flows, &r.Requests[j], r)
		}
	}
	out := Flows{Origin: originOf(now), Flows: make([]Flow, 0, len(flows))}
	out.lacking("SEAT-SECONDS", now, replica.EndpointFlows)
	out.lacking("SEATS and WAITING", now, replica.EndpointRequests)
	for _, key := range slices.SortedFunc(maps.Keys(flows), flowKey.compare) {
		out.Flows = append(out.Flows, *flows[key])
		out.Total.add(flows[key])
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

func addHeavy(flows map[flowKey]*Flow, heavy *replica.Flow) {
	flow := flowNamed(flows, flowKey{heavy.Level, heavy.FlowSchema, heavy.Distinguisher})
	replica.Add(&flow.SeatSeconds, &heavy.SeatSeconds1m)
	replica.Add(&flow.SeatSecondsError, &heavy.Error1m)
}

func addRequest(flows map[flowKey]*Flow, request *replica.Request, r *replica.Replica) {
	flow := flowNamed(flows, flowKey{request.Level, request.FlowSchema, request.Distinguisher})
	if request.Started.IsZero() {
		flow.Waiting++
		longer(&flow.OldestWaitSeconds, r.Since(request.Arrived))
		return
	}
	flow.Executing++
	flow.SeatsInUse += request.InitialSeats
}

// add adds the figures of another flow to the flow's.
func (f *Flow) add(other *Flow) {
	f.SeatsInUse += other.SeatsInUse
	f.Executing += other.Executing
	f.Waiting += other.Waiting
	replica.Add(&f.SeatSeconds, other.SeatSeconds)
	replica.Add(&f.SeatSecondsError, other.SeatSecondsError)
	longer(&f.OldestWaitSeconds, other.OldestWaitSeconds)
}
