package why

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

const (
	// maxResult is the number of flows in a result.
	maxResult = 50
	// maxUsers is the number of users of a flow in a result.
	maxUsers = 5
)

// Result returns what the evidence says. Observe must not be called afterwards.
func (i *Inquiry) Result() Result {
	r := Result{
		User: i.query.User, FlowSchema: i.query.FlowSchema,
		Evidence: i.evidence(), Flows: []Flow{}, Levels: []Level{}, Remedies: []Remedy{},
	}
	if !i.until.IsZero() {
		r.Since, r.Until = &i.since, &i.until
	}
	keys := i.askedKeys()
	if len(keys) == 0 && r.Evidence == Remembered {
		r.Evidence = Nothing // what others did says nothing about these
	}
	states := i.levelStates()
	for _, key := range keys[:min(len(keys), maxResult)] {
		s := states[key.level]
		r.Flows = append(r.Flows, i.flow(key, s))
		for _, remedy := range i.remedies(key, s) {
			if !slices.Contains(r.Remedies, remedy) {
				r.Remedies = append(r.Remedies, remedy)
			}
		}
	}
	for _, calls := range i.deprecated.All() {
		if found := calls.Finding(); calls.OfFlowControl() && calls.Follows == "" {
			r.Remedies = append(r.Remedies, Remedy{Action: found.Remedy, Because: fmt.Sprintf("%s: %s", found.Object, found.Message)})
		}
	}
	r.Levels = levelsOf(r.Flows, states)
	for _, level := range r.Levels {
		if remedy := level.uneven(); remedy != nil {
			r.Remedies = append(r.Remedies, *remedy)
		}
	}
	r.Counters = i.counters()
	about, seats := i.about(&r)
	r.Remedies = append(r.Remedies, seats...)
	r.about = about
	r.missing = replica.MissingNotes(i.replicas, i.lacks)
	r.Notes = slices.Concat(about, i.notes(len(keys)), r.missing)
	return r
}

// evidence returns what the usages were filled from, and fills them if there were no
// events.
func (i *Inquiry) evidence() Evidence {
	switch {
	case i.observed > 0 && i.annotated == i.observed:
		return Annotated
	case i.observed > 0:
		return Inferred
	case len(i.all) > 0 || i.remember():
		return Remembered
	default:
		return Nothing
	}
}

// askedKeys returns the flows of the query, the most rejected and delayed first.
func (i *Inquiry) askedKeys() []flowKey {
	return slices.SortedFunc(maps.Keys(i.asked), func(a, b flowKey) int {
		x, y := i.asked[a], i.asked[b]
		return cmp.Or(
			cmp.Compare(y.rejections(), x.rejections()),
			cmp.Compare(y.waited, x.waited),
			cmp.Compare(y.used.most, x.used.most),
			compareKeys(a, b),
		)
	})
}

func (i *Inquiry) flow(key flowKey, s *levelState) Flow {
	a := i.asked[key]
	f := Flow{
		PriorityLevel: key.level, FlowSchema: key.schema, Distinguisher: key.distinguisher,
		Queues: i.inForce.Hand(key.level, flow.HashOf(key.schema, key.distinguisher), i.configuration.Own), Users: most(a.users, maxUsers),
		Rejected: a.rejections(), WaitsUnknown: a.untold, Reasons: map[string]int{}, Exact: !a.inferred,
	}
	whole := i.all[key]
	known := i.observed == 0 || i.seen.succeeded // otherwise only failed requests are there
	if known && !a.remembered {
		f.Requests = &a.requests
	}
	if known && a.knowsUses() {
		f.SeatSeconds, f.SeatSecondsAtMost = &a.used.least, a.used.atMost()
		f.FlowSeatSeconds, f.FlowSeatSecondsAtMost = &whole.used.least, whole.used.atMost()
	}
	f.Tenant = s.tenants[key].name
	if fair, tenant := s.fairShareOf(key); s.Capacity != nil && i.filter() == "" {
		f.FairShare, f.FairShareAtMost = &fair.least, fair.atMost()
		if f.Tenant != "" {
			f.TenantFairShare, f.TenantFairShareAtMost = &tenant.least, tenant.atMost()
		}
	}
	maps.Copy(f.Reasons, a.rejected)
	if a.knowsDelays() {
		f.Delayed, f.LongestWaitSeconds, f.WaitSeconds = &a.delayed, new(a.longest.Seconds()), new(a.waited.Seconds())
	}
	if !a.troubled.until.IsZero() {
		f.First, f.Last = &a.troubled.since, &a.troubled.until
	}
	return f
}

// levelsOf returns the levels of the flows, by name.
func levelsOf(flows []Flow, states map[string]*levelState) []Level {
	names := map[string]bool{}
	for i := range flows {
		names[flows[i].PriorityLevel] = true
	}
	levels := []Level{}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		levels = append(levels, states[name].Level)
	}
	return levels
}

// lacks reports whether the result lacks what a replica does not tell. That kube-apiserver
// remembers no flows is said once, where nothing tells of flows.
func (i *Inquiry) lacks(m replica.Missing) bool {
	endpoint := replica.Endpoint(m.What)
	return i.observed == 0 && len(i.all) > 0 || endpoint != replica.EndpointFlows && endpoint != replica.EndpointRejections
}

func (i *Inquiry) notes(flows int) []string {
	notes := slices.Concat(i.configuration.Notes, i.inForce.Notes)
	add := func(condition bool, format string, arguments ...any) {
		if condition {
			notes = append(notes, fmt.Sprintf(format, arguments...))
		}
	}
	inferred := i.observed - i.annotated
	add(inferred > 0, "%d of %d events have no annotations of flowcontrol-apiserver: flow schema and level are from the configuration of now, seats are as kubectl apf explain estimates them, from the least to the most that are possible, reasons are inferred from duration and level, and waits in requests of up to %v are unknown.", inferred, i.observed, latencyThreshold)
	add(i.implied > 0, "%d of %d events have no groups: the groups that their users' names imply decide the flow schema.", i.implied, i.observed)
	add(i.unfinished > 0, "%d of %d events do not have the end of the request: it counts as if it had used no seat-seconds, and its rejection as if it had not waited.", i.unfinished, i.observed)
	for _, said := range slices.Sorted(maps.Keys(i.others)) {
		says := ""
		if said != "" {
			says = fmt.Sprintf(", which says %q", said)
		}
		add(true, "%d responses 429 are not from flow control, but from a handler%s.", i.others[said], says)
	}
	if filter := i.filter(); filter != "" {
		add(true, "%s: the log may be filtered. If it is, what the levels served besides is unknown, so fair shares and causes of rejections are left out: give the whole log.", filter)
	}
	add(flows > maxResult, "%d more flows are not shown.", flows-maxResult)
	for _, name := range slices.Sorted(maps.Keys(i.unknownLevels)) {
		add(true, "The priority level %q is not in the configuration: its limits are unknown.", name)
	}
	add(i.observed == 0 && len(i.all) > 0, "Without an audit log, uses are what the servers remember of the last %d minutes, and may be too large by the error of the sketch.", int(rememberedSpan/time.Minute))
	for _, level := range slices.Sorted(maps.Keys(i.windows)) {
		add(true, "Uses, shares and limits of priority level %s are of the %.0f s in which these requests were rejected or waited.", level, i.seconds(level))
	}
	add(i.observed == 0 && len(i.all) == 0, "There is no per-flow data: add an audit log, or use flowcontrol-apiserver, which remembers rejections. Counters are for all users of a flow schema together.")
	add(i.observed > 0, "Requests that the audit policy omits are not counted.")
	return notes
}
