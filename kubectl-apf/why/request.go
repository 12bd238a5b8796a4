package why

import (
	"time"

	kschema "k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
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

// reason returns why a request was rejected; "" if it was not.
func (i *Inquiry) reason(r *logs.Request, key flowKey) string {
	switch {
	case r.Rejected != trace.UnknownReason:
		return r.Rejected
	case i.levels[key.level].Config.Discipline != queueset.Queue:
		return queueset.ConcurrencyLimit.String()
	case r.Wait != nil && r.Wait.Duration > 0 || r.End().Sub(r.Arrival) > latencyThreshold:
		return queueset.TimeOut.String()
	default:
		return queueset.QueueFull.String()
	}
}

// add counts a request, which was rejected if there is a reason.
func (a *account) add(r *logs.Request, attributes *flow.Attributes, reason string) {
	a.requests++
	count(&a.users, r.User, 1)
	a.inferred = a.inferred || !r.Annotated
	if reason != "" {
		a.reject(reason, 1, r.Arrival, r.Arrival)
		return
	}
	width := 1
	if r.Seats != nil {
		width = int(r.Seats.Initial)
	}
	area := areaOf(attributes, width, r.Executed())
	a.executed++
	a.used += area.SeatSeconds()
	switch wait, known := r.Waited(latencyThreshold); {
	case known:
		a.told++
		a.delay(wait, r.Arrival)
	case r.Verb != "watch":
		a.untold++
	}
	resource := kschema.GroupResource{Group: r.APIGroup, Resource: r.Resource}.String()
	switch {
	case isUnlimitedList(r):
		a.unlimited.add(resource, width, r.Executed(), area.SeatSeconds())
	case estimate.IsWrite(attributes) && width > 1:
		a.fanned.add(resource, width, r.Executed(), area.SeatSeconds())
	}
}

// isUnlimitedList reports whether a limit would make the list cheaper: it reads all
// objects, and not from the watch cache, which examines all of them anyhow.
func isUnlimitedList(r *logs.Request) bool {
	return r.Verb == "list" && r.Resource != "" && r.Name == "" &&
		(r.List == nil || r.List.Limit == 0 && r.List.ResourceVersion != "0")
}
