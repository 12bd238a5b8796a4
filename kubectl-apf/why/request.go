package why

import (
	"time"

	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const (
	exempt = rules.Exempt

	// latencyThreshold is the longest duration without k8s.io/apiserver's annotation of the time in
	// a queue.
	latencyThreshold = 500 * time.Millisecond
)

// areaOf returns the work of a request that executed so long. A write holds one seat
// until its response; its other seats notify watchers.
func areaOf(a *flow.Attributes, width int, executed time.Duration) seats.Area {
	if !estimate.IsWrite(a) {
		return seats.AreaOf(width, executed)
	}
	area := seats.AreaOf(1, executed)
	if width > 1 {
		area += estimate.Write(width*watchersPerSeat, 0).FinalArea()
	}
	return area
}

// watchersPerSeat is as in package estimate.
const watchersPerSeat = 10

// width returns the seats of a request: the log's, otherwise as explain estimates them.
func (i *Inquiry) width(r *logs.Request, a *flow.Attributes, level string) amount {
	exact := func(seats int) amount { return amount{float64(seats), float64(seats)} }
	write := estimate.IsWrite(a)
	switch {
	case r.Seats != nil:
		return exact(int(r.Seats.Initial))
	case r.Resource == "" || r.Verb != "list" && !write:
		return exact(1)
	}
	resource := kschema.GroupResource{Group: r.APIGroup, Resource: r.Resource}
	fact, known := i.facts[resource]
	if !known {
		fact = replica.FactOf(i.replicas, resource)
		i.facts[resource] = fact
	}
	report := i.inForce.Levels[level]
	bound := report.Config.MaxWidth(report.Limits.Nominal)
	if !write {
		cost, atMost := fact.Read(i.estimator, r.Read(), bound)
		return amount{float64(cost.Work.Initial), float64(atMost)}
	}
	watchers := fact.Watchers
	if watchers < 0 {
		watchers = estimate.MaxWidth * watchersPerSeat
	}
	return amount{1, float64(estimate.Write(watchers, bound).Width())} // not all may watch this object
}

// reason returns why a request was rejected; "" if it was not.
func (i *Inquiry) reason(r *logs.Request, key flowKey) string {
	switch {
	case r.Rejected != trace.UnknownReason:
		return r.Rejected
	case i.inForce.Levels[key.level].Config.Discipline != queueset.Queue:
		return queueset.ConcurrencyLimit.String()
	case r.Wait != nil && r.Wait.Duration > 0 || r.End().Sub(r.Arrival) > latencyThreshold:
		return queueset.TimeOut.String()
	default:
		return queueset.QueueFull.String()
	}
}

// add counts a request, which was rejected if there is a reason. part of its execution counts as used.
func (a *usage) add(r *logs.Request, attributes *flow.Attributes, reason string, width amount, part float64) {
	a.requests++
	count(&a.users, r.User, 1)
	a.inferred = a.inferred || !r.Annotated
	if reason != "" {
		a.reject(reason, 1, r.Arrival, r.Arrival)
		return
	}
	used := amount{areaOf(attributes, int(width.least), r.Executed()).SeatSeconds(), areaOf(attributes, int(width.most), r.Executed()).SeatSeconds()}.times(part)
	a.executed++
	switch wait, known := r.Waited(latencyThreshold); {
	case known:
		a.told++
		a.delay(wait, r.Arrival)
	case r.Verb != "watch":
		a.untold++
	}
	if part == 0 {
		return
	}
	a.within++
	a.used = a.used.plus(used)
	resource := kschema.GroupResource{Group: r.APIGroup, Resource: r.Resource}.String()
	switch {
	case isUnlimitedList(r):
		a.unlimited.add(resource, width, r.Executed(), used)
	case estimate.IsWrite(attributes) && width.least > 1:
		a.fanned.add(resource, width, r.Executed(), used)
	}
}

// isUnlimitedList reports whether a limit would make the list cheaper: it reads all
// objects, and not from the watch cache, which examines all of them anyhow.
func isUnlimitedList(r *logs.Request) bool {
	return r.Verb == "list" && r.Resource != "" && r.Name == "" &&
		(r.List == nil || r.List.Limit == 0 && r.List.ResourceVersion != "0")
}
