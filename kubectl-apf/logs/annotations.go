package logs

import (
	"fmt"
	"strconv"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// latencyKey and totalKey are annotations of k8s.io/apiserver. The annotations of
// flowcontrol-apiserver are in package filter.
const (
	latencyKey = "apiserver.latency.k8s.io/apf-queue-wait"
	totalKey   = "apiserver.latency.k8s.io/total"
)

// FlowControl is what flow control did with a request, from the annotations of
// flowcontrol-apiserver.
type FlowControl struct {
	FlowSchema, PriorityLevel, Distinguisher string
	// Seats is the width of the request; 0 if it is unknown.
	Seats int
	// Outcome is filter.Executed, or the reason of a rejection.
	Outcome string
}

// Rejected reports whether flow control rejected the request.
func (f *FlowControl) Rejected() bool {
	for reason := range queueset.Reasons {
		if f.Outcome == reason.String() {
			return true
		}
	}
	return false
}

// annotate sets what the annotations tell. It returns an error if a value of one of
// them is invalid.
func (e *Event) annotate(annotations map[string]string) error {
	key := latencyKey
	_, exact := annotations[totalKey]
	if schema, told := annotations[filter.FlowSchemaAnnotation]; told {
		e.FlowControl = &FlowControl{
			FlowSchema: schema, PriorityLevel: annotations[filter.PriorityLevelAnnotation],
			Distinguisher: annotations[filter.FlowDistinguisherAnnotation], Outcome: annotations[filter.OutcomeAnnotation],
		}
		key, exact = filter.QueueWaitAnnotation, true
	}
	if text, told := annotations[key]; told {
		wait, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("annotation %s is %q, must be a duration such as 1.5s", key, text)
		}
		e.Wait, exact = wait, true
	}
	e.WaitKnown = exact
	if text, told := annotations[filter.SeatsAnnotation]; told && e.FlowControl != nil {
		seats, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("annotation %s is %q, must be a whole number", filter.SeatsAnnotation, text)
		}
		e.FlowControl.Seats = seats
	}
	return nil
}
