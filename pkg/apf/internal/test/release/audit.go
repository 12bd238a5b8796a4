package release

import (
	"net/http"
	"reflect"

	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
)

// auditContext are the methods of an AuditContext that it has since 0.34. Before, it had
// fields.
type auditContext interface {
	Init(config audit.RequestAuditConfig, sink audit.Sink) error
	GetEventAnnotations() map[string]string
}

// Audited returns a request whose audit event has the given level, and a function that
// returns the annotations of the event.
func Audited(r *http.Request, level auditinternal.Level) (*http.Request, func() map[string]string) {
	ctx := audit.WithAuditContext(r.Context())
	r = r.WithContext(ctx)
	var context any = audit.AuditContextFrom(ctx)
	if context, ok := context.(auditContext); ok {
		if err := context.Init(audit.RequestAuditConfig{Level: level}, nil); err != nil {
			panic(err)
		}
		return r, context.GetEventAnnotations
	}
	fields := reflect.ValueOf(context).Elem()
	fields.FieldByName("RequestAuditConfig").FieldByName("Level").SetString(string(level))
	event := fields.FieldByName("Event").Addr().Interface().(*auditinternal.Event)
	return r, func() map[string]string { return event.Annotations }
}
