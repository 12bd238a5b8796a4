package filter

import (
	"strconv"

	"k8s.io/apiserver/pkg/audit"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
)

// Annotations says which requests are annotated in their audit events.
type Annotations uint8

// The values.
const (
	// AnnotateNone is no request.
	AnnotateNone Annotations = iota
	// AnnotateGoverned is requests of priority levels that limit them, and requests that
	// ExemptLimit rejects.
	AnnotateGoverned
	// AnnotateAll is requests of exempt priority levels too.
	AnnotateAll
)

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
	if r.Annotations == AnnotateNone || r.Annotations == AnnotateGoverned && unlimited {
		return
	}
	if !audit.AuditContextFrom(r.ctx).Enabled() {
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
