package why

import (
	"cmp"
	"maps"
	"slices"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
)

// rememberedSpan is what the figures of top_flows are about.
const rememberedSpan = 15 * time.Minute

// remember fills the usages from top_flows and rejections, and reports whether there
// are any. Rejections may be older than uses.
func (i *Inquiry) remember() bool {
	told := false
	for r := range i.replicas {
		one := &i.replicas[r]
		if len(one.Flows) == 0 && len(one.Rejections) == 0 {
			continue
		}
		told = true
		if !one.Taken.IsZero() {
			i.include(one.Taken.Add(-rememberedSpan), one.Taken)
		}
		for f := range one.Flows {
			i.rememberFlow(&one.Flows[f])
		}
		for r := range one.Rejections {
			i.rememberRejection(&one.Rejections[r])
			i.include(one.Rejections[r].First, one.Rejections[r].Last)
		}
	}
	return told
}

func (i *Inquiry) rememberFlow(f *replica.Flow) {
	user := ""
	if i.dividesByUser(f.FlowSchema) {
		user = f.Distinguisher
	}
	for _, a := range i.usagesOf(flowKey{f.Level, f.FlowSchema, f.Distinguisher}, i.asks(user, f.FlowSchema)) {
		a.used = a.used.plus(amount{f.SeatSeconds15m, f.SeatSeconds15m})
		a.remembered, a.usesTold = true, true
	}
}

func (i *Inquiry) rememberRejection(r *replica.Rejection) {
	user, requests := r.User, 1 // of the last rejection alone
	if i.dividesByUser(r.FlowSchema) {
		user, requests = r.Distinguisher, int(r.Count)
	}
	for _, a := range i.usagesOf(flowKey{r.Level, r.FlowSchema, r.Distinguisher}, i.asks(user, r.FlowSchema)) {
		count(&a.users, user, requests)
		a.remembered = true
		a.reject(r.Reason, int(r.Count), r.First, r.Last)
	}
}

// flowSchema returns a flow schema of the configuration; nil if it has none of this name.
func (i *Inquiry) flowSchema(name string) *flowcontrolv1.FlowSchema {
	for _, o := range i.configuration.FlowSchemas {
		if o.Name == name {
			return o
		}
	}
	return nil
}

// dividesByUser reports whether each user is a flow of a flow schema.
func (i *Inquiry) dividesByUser(schema string) bool {
	o := i.flowSchema(schema)
	return o != nil && o.Spec.DistinguisherMethod != nil && o.Spec.DistinguisherMethod.Type == flowcontrolv1.FlowDistinguisherMethodByUserType
}

// counters returns the metrics of the flow schemas of the query, by name.
func (i *Inquiry) counters() []Counters {
	wanted := map[string]bool{i.query.FlowSchema: true}
	for key := range i.asked {
		wanted[key.schema] = true
	}
	if i.query.User != "" && i.query.FlowSchema == "" && len(i.asked) == 0 {
		wanted = i.schemasOf(i.query.User)
	}
	everything := i.query == Query{Servers: i.query.Servers}
	sums := map[replica.SchemaKey]*Counters{}
	seconds := map[replica.SchemaKey]*float64{}
	for r := range i.replicas {
		for key, m := range i.replicas[r].Metrics.Schemas {
			if !everything && !wanted[key.FlowSchema] {
				continue
			}
			c := sums[key]
			if c == nil {
				c = &Counters{PriorityLevel: key.Level, FlowSchema: key.FlowSchema}
				sums[key] = c
			}
			replica.Add(&c.Dispatched, m.Dispatched)
			if m.Rejected != nil && c.Rejected == nil {
				c.Rejected = map[string]uint64{}
			}
			for reason, n := range m.Rejected {
				c.Rejected[reason] += n
			}
			replica.Add(&c.Waits, m.Waits)
			sum := seconds[key]
			replica.Add(&sum, m.WaitSeconds)
			if seconds[key] = sum; sum != nil && c.Waits != nil && *c.Waits > 0 {
				c.MeanWaitSeconds = new(*sum / float64(*c.Waits))
			}
		}
	}
	keys := slices.SortedFunc(maps.Keys(sums), func(a, b replica.SchemaKey) int {
		return cmp.Or(cmp.Compare(a.FlowSchema, b.FlowSchema), cmp.Compare(a.Level, b.Level))
	})
	counters := make([]Counters, len(keys))
	for i, key := range keys {
		counters[i] = *sums[key]
	}
	return counters
}
