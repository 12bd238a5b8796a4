package flowcontrol_test

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	auditinternal "k8s.io/apiserver/pkg/apis/audit"
	"k8s.io/apiserver/pkg/audit"
	"k8s.io/apiserver/pkg/audit/policy"
	genericapifilters "k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/server/filters"
	fcrequest "k8s.io/apiserver/pkg/util/flowcontrol/request"
)

// auditLog keeps the annotations of the last event.
type auditLog struct{ annotations map[string]string }

func (l *auditLog) ProcessEvents(events ...*auditinternal.Event) bool {
	l.annotations = events[len(events)-1].Annotations
	return true
}

// TestAuditOfRejectedRequest sends a request while another has the only seat. The audit event must
// tell which FlowSchema and which priority level rejected it.
func TestAuditOfRejectedRequest(t *testing.T) {
	controller, _ := newController(1)
	oneSeat := func(*http.Request, string, string) fcrequest.WorkEstimate {
		return fcrequest.WorkEstimate{InitialSeats: 1}
	}
	log := &auditLog{}
	send := func(handler http.Handler) int {
		w := httptest.NewRecorder()
		r := asUser(httptest.NewRequest(http.MethodGet, "/api/v1/pods", nil), "deployer", "list", "pods")
		handler.ServeHTTP(w, r.WithContext(audit.WithAuditContext(r.Context())))
		return w.Code
	}
	var handler http.Handler
	inside := false
	handler = filters.WithPriorityAndFairness(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if inside = !inside; !inside {
			t.Error("A second request executed on one seat")
		} else if status := send(handler); status != http.StatusTooManyRequests {
			t.Errorf("Expected status 429, got %d", status)
		} else if len(log.annotations) == 0 {
			t.Error("Expected the audit event of a rejected request to name its FlowSchema and priority level, got no annotations")
		}
	}), nil, controller, oneSeat, time.Minute/4)
	handler = genericapifilters.WithAudit(handler, log, policy.NewFakePolicyRuleEvaluator(auditinternal.LevelMetadata, nil), nil)
	send(handler)
}
