package server

import (
	"fmt"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
)

// AuditFlowControl says which requests flow control annotates in audit events, with
// their flow schema, priority level, flow distinguisher, seats, wait and outcome.
type AuditFlowControl string

// The values.
const (
	// AuditNone is no request.
	AuditNone AuditFlowControl = "none"
	// AuditGoverned is requests of priority levels that are not exempt.
	AuditGoverned AuditFlowControl = "governed"
	// AuditAll is requests of exempt priority levels too.
	AuditAll AuditFlowControl = "all"
)

func (a AuditFlowControl) validate() error {
	switch a {
	case AuditNone, AuditGoverned, AuditAll:
		return nil
	default:
		return fmt.Errorf("--audit-flow-control=%s must be one of %s, %s, %s", a, AuditNone, AuditGoverned, AuditAll)
	}
}

func (a AuditFlowControl) annotations() filter.Annotations {
	switch a {
	case AuditGoverned:
		return filter.AnnotateGoverned
	case AuditAll:
		return filter.AnnotateAll
	default:
		return filter.AnnotateNone
	}
}
