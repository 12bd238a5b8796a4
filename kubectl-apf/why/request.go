package why

import (
	"net/http"
	"net/url"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/estimate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/seats"
)

const (
	tooManyRequests = http.StatusTooManyRequests
	exempt          = rules.Exempt

	// latencyThreshold is the longest duration without k8s.io/apiserver's annotation of the time in
	// a queue.
	latencyThreshold = 500 * time.Millisecond
)

// request is what an event tells about a request.
type request struct {
	event *logs.Event
	// reason is the reason of the rejection; "" for a request that executed.
	reason string
	width  int
	area   seats.Area
}

func (i *Inquiry) read(e *logs.Event, key flowKey) request {
	r := request{event: e, width: 1}
	if e.FlowControl != nil {
		r.width = max(1, e.FlowControl.Seats)
	}
	if e.Rejected() {
		r.reason = i.reason(e, key)
		return r
	}
	r.area = areaOf(&e.Attributes, r.width, e.Executed())
	return r
}

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

// reason returns why a request was rejected.
func (i *Inquiry) reason(e *logs.Event, key flowKey) string {
	switch {
	case e.FlowControl != nil:
		return e.FlowControl.Outcome
	case e.RejectionReason != "":
		return e.RejectionReason
	case i.levels[key.level].Config.Discipline != queueset.Queue:
		return queueset.ConcurrencyLimit.String()
	case e.Wait > 0 || e.Completed.Sub(e.Received) > latencyThreshold:
		return queueset.TimeOut.String()
	default:
		return queueset.QueueFull.String()
	}
}

// add counts a request.
func (a *account) add(r request) {
	e := r.event
	a.requests++
	count(&a.users, e.Attributes.User, 1)
	a.inferred = a.inferred || e.FlowControl == nil
	if r.reason != "" {
		a.reject(r.reason, 1, e.Received, e.Received)
		return
	}
	a.executed++
	a.use(r.area)
	if e.Wait > 0 {
		a.delay(e.Wait, e.Received)
	}
	used := r.area.SeatSeconds()
	switch {
	case isUnlimitedList(e):
		a.unlimited.add(resourceOf(&e.Attributes), r.width, e.Executed(), used)
	case estimate.IsWrite(&e.Attributes) && r.width > 1:
		a.fanned.add(resourceOf(&e.Attributes), r.width, e.Executed(), used)
	}
}

// isUnlimitedList reports whether a limit would make the list cheaper: it reads all
// objects, and not from the watch cache, which examines all of them anyhow.
func isUnlimitedList(e *logs.Event) bool {
	a := &e.Attributes
	if a.Verb != "list" || !a.IsResourceRequest || a.Name != "" {
		return false
	}
	at, err := url.ParseRequestURI(e.URI)
	if err != nil {
		return false
	}
	query := at.Query()
	limit := query.Get("limit")
	return (limit == "" || limit == "0") && query.Get("resourceVersion") != "0"
}

// resourceOf returns the resource with its API group, such as "deployments.apps".
func resourceOf(a *flow.Attributes) string {
	if a.APIGroup == "" {
		return a.Resource
	}
	return a.Resource + "." + a.APIGroup
}
