package audit

import (
	"fmt"
	"strconv"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/stats"
)

const (
	// prefix is that of the annotations of flowcontrol-apiserver.
	prefix = "apf.flowcontrol.apiserver.k8s.io/"

	schemaKey        = prefix + "flow-schema"
	levelKey         = prefix + "priority-level"
	distinguisherKey = prefix + "flow-distinguisher"
	seatsKey         = prefix + "seats"
	waitKey          = prefix + "queue-wait"
	outcomeKey       = prefix + "outcome"

	// latencyKey is the annotation of k8s.io/apiserver.
	latencyKey = "apiserver.latency.k8s.io/apf-queue-wait"
)

// FlowControl is what flow control did with a request, from the annotations of
// flowcontrol-apiserver.
type FlowControl struct {
	FlowSchema, PriorityLevel, Distinguisher string
	// Seats is the width of the request; 0 if it is unknown.
	Seats int
	// Outcome is the reason of a rejection, as in the metric label "reason", or
	// another word for a request that executed.
	Outcome string
}

// Rejected reports whether flow control rejected the request.
func (f *FlowControl) Rejected() bool {
	for reason := range stats.Reasons {
		if f.Outcome == reason.String() {
			return true
		}
	}
	return false
}

// annotate sets what the annotations tell. It returns an error if a value of one of
// them is invalid.
func (e *Event) annotate(annotations map[string]string) error {
	key, exact := latencyKey, false
	if schema, told := annotations[schemaKey]; told {
		e.FlowControl = &FlowControl{
			FlowSchema: schema, PriorityLevel: annotations[levelKey],
			Distinguisher: annotations[distinguisherKey], Outcome: annotations[outcomeKey],
		}
		key, exact = waitKey, true
	}
	if text, told := annotations[key]; told {
		wait, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("annotation %s is %q, must be a duration such as 1.5s", key, text)
		}
		e.Wait, exact = wait, true
	}
	e.WaitKnown = exact
	if text, told := annotations[seatsKey]; told && e.FlowControl != nil {
		seats, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("annotation %s is %q, must be a whole number", seatsKey, text)
		}
		e.FlowControl.Seats = seats
	}
	return nil
}
