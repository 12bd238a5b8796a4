package filter

import (
	"fmt"
	"strconv"

	"k8s.io/apiserver/pkg/audit"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

// Annotations says which requests are annotated in their audit events, with their flow schema, priority
// level, flow distinguisher, seats, wait and outcome. An empty text is AnnotateNone.
type Annotations string

// The values.
const (
	// AnnotateNone is no request.
	AnnotateNone Annotations = "none"
	// AnnotateGoverned is requests of priority levels that limit them, and requests that
	// ExemptLimit rejects.
	AnnotateGoverned Annotations = "governed"
	// AnnotateAll is requests of exempt priority levels too.
	AnnotateAll Annotations = "all"
)

// Validate returns an error that lists the values, unless a is one of them.
func (a Annotations) Validate() error {
	switch a {
	case AnnotateNone, AnnotateGoverned, AnnotateAll:
		return nil
	default:
		return fmt.Errorf("%s must be one of %s, %s, %s", string(a), AnnotateNone, AnnotateGoverned, AnnotateAll)
	}
}

// include reports whether a request is annotated. It is unlimited if its priority level is exempt, and
// ExemptLimit did not reject it.
func (a Annotations) include(unlimited bool) bool {
	return a == AnnotateAll || a == AnnotateGoverned && !unlimited
}

// The keys of the annotations.
const (
	// FlowSchemaAnnotation and PriorityLevelAnnotation are names.
	FlowSchemaAnnotation    = names.AnnotationPrefix + "flow-schema"
	PriorityLevelAnnotation = names.AnnotationPrefix + "priority-level"
	// FlowDistinguisherAnnotation is the user or the namespace, as the flow schema
	// says, or empty.
	FlowDistinguisherAnnotation = names.AnnotationPrefix + "flow-distinguisher"
	// SeatsAnnotation is the number of seats that the request needs to start.
	SeatsAnnotation = names.AnnotationPrefix + "seats"
	// QueueWaitAnnotation is how long the request waited in a queue, such as 1.5s; 0s
	// if it did not.
	QueueWaitAnnotation = names.AnnotationPrefix + "queue-wait"
	// OutcomeAnnotation is Executed or, if the request was rejected, the reason as in
	// the metrics: queue-full, concurrency-limit, time-out, cancelled.
	OutcomeAnnotation = names.AnnotationPrefix + "outcome"
)

// Executed is the outcome of a request that got its seats.
const Executed = "executed"

// annotate adds the annotations to the audit event of the request, if there is one.
func (r *request) annotate(outcome string) {
	unlimited := r.apf.Exempt() && outcome == Executed
	if !r.Annotations.include(unlimited) || !audit.AuditContextFrom(r.ctx).Enabled() {
		return
	}
	audit.AddAuditAnnotations(r.ctx,
		FlowSchemaAnnotation, r.apf.Schema().Name,
		PriorityLevelAnnotation, r.apf.Level().Name,
		FlowDistinguisherAnnotation, r.apf.Flow,
		SeatsAnnotation, strconv.Itoa(r.apf.Work.Width()),
		QueueWaitAnnotation, r.apf.Waited().String(),
		OutcomeAnnotation, outcome,
	)
}
