package logs

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/uri"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// Annotations of k8s.io/apiserver. The annotations of flowcontrol-apiserver are in package filter.
const (
	latencyKey = "apiserver.latency.k8s.io/apf-queue-wait"
	totalKey   = "apiserver.latency.k8s.io/total"
	etcdKey    = "apiserver.latency.k8s.io/etcd"
)

// requestOfEvent returns the request of an audit event; nil if it is of an earlier stage.
func requestOfEvent(text []byte) (*Request, error) {
	var e auditv1.Event
	if err := json.Unmarshal(eventIn(text), &e); err != nil {
		return nil, fmt.Errorf("is no JSON of an audit event: %w", err)
	}
	if e.Kind != "Event" || e.APIVersion != auditv1.SchemeGroupVersion.String() {
		return nil, fmt.Errorf("has kind %q and apiVersion %q, must be Event and %s", e.Kind, e.APIVersion, auditv1.SchemeGroupVersion)
	}
	if e.Stage != auditv1.StageResponseComplete && e.Stage != auditv1.StagePanic {
		return nil, nil
	}
	r := &Request{ID: string(e.AuditID[:min(len(e.AuditID), maxID)]), URI: e.RequestURI, Completed: e.StageTimestamp.Time}
	r.Arrival, r.Client = e.RequestReceivedTimestamp.UTC(), e.UserAgent
	if last := len(e.SourceIPs) - 1; last >= 0 {
		r.Address = e.SourceIPs[last]
	}
	if took := r.Completed.Sub(r.Arrival); !r.Completed.IsZero() && took >= 0 && took <= trace.MaxSpan {
		r.Latency = seconds(took)
	}
	if err := r.classify(&e); err != nil {
		return nil, err
	}
	if s := e.ResponseStatus; s != nil {
		r.setStatus(int(s.Code))
		reason := rejectionReason(s)
		if s.Code == http.StatusTooManyRequests && (!byHandler(s) || reason != "") && r.Governed() {
			r.Rejected = cmp.Or(reason, trace.UnknownReason)
		} else if s.Code == http.StatusTooManyRequests {
			r.Said = s.Message
		}
	}
	return r, r.annotate(e.Annotations)
}

// classify sets the attributes that flow control classified.
func (r *Request) classify(e *auditv1.Event) error {
	if e.Verb == "" {
		return errors.New("has no verb")
	}
	// Only the verb and the name depend on the method, and the event tells them.
	a, query, err := uri.Parse(http.MethodPost, e.RequestURI)
	if err != nil {
		return err
	}
	a.Verb, a.Name = e.Verb, ""
	if e.ObjectRef != nil {
		a.Name = e.ObjectRef.Name
	}
	r.setAttributes(&a, query)
	requester := &e.User
	if e.ImpersonatedUser != nil {
		requester = e.ImpersonatedUser
	}
	if r.User, r.Groups = requester.Username, requester.Groups; r.User != "" && len(r.Groups) == 0 {
		r.Groups, r.GroupsImplied = trace.WellKnownGroups(r.User), true
	}
	return nil
}

// byHandler reports whether a handler made a response 429: flow control says nothing of its own in it.
func byHandler(s *metav1.Status) bool {
	return s.Reason != "" || s.Message != "" && !strings.HasPrefix(s.Message, "Too many requests")
}

// rejectionReason returns the reason of flow control that a Status tells, or "".
func rejectionReason(s *metav1.Status) string {
	if s.Details == nil {
		return ""
	}
	for _, cause := range s.Details.Causes {
		if cause.Type == filter.RejectionReasonCause {
			return cause.Message
		}
	}
	return ""
}

// annotate sets what the annotations tell. It returns an error if a value of one of
// them is invalid.
func (r *Request) annotate(annotations map[string]string) error {
	if annotations[deprecatedKey] == "true" {
		r.Removed = annotations[removedKey]
	}
	key := latencyKey
	_, known := annotations[totalKey]
	if schema, told := annotations[filter.FlowSchemaAnnotation]; told {
		r.FlowSchema, r.PriorityLevel = schema, annotations[filter.PriorityLevelAnnotation]
		r.Annotated, r.Distinguisher, r.Rejected = true, annotations[filter.FlowDistinguisherAnnotation], ""
		if outcome := annotations[filter.OutcomeAnnotation]; isReason(outcome) {
			r.Rejected = outcome
		}
		key, known = filter.QueueWaitAnnotation, true
	}
	var wait time.Duration
	if text, told := annotations[key]; told {
		var err error
		if wait, err = time.ParseDuration(text); err != nil {
			return fmt.Errorf("annotation %s is %q, must be a duration such as 1.5s", key, text)
		}
		known = true
	}
	if watch := r.Verb == "watch"; known && !r.Completed.IsZero() && (!watch || r.Annotated) {
		r.Wait = seconds(wait)
		if !watch && r.Rejected == "" && r.Latency != nil && r.Latency.Duration >= wait {
			r.Execution = seconds(r.Latency.Duration - wait)
		}
	}
	if etcd, err := time.ParseDuration(annotations[etcdKey]); err == nil && etcd >= 0 {
		r.Etcd = &etcd
	}
	if text, told := annotations[filter.SeatsAnnotation]; told && r.Annotated {
		seats, err := strconv.ParseUint(text, 10, 32)
		if err != nil {
			return fmt.Errorf("annotation %s is %q, must be a whole number", filter.SeatsAnnotation, text)
		}
		if seats > 0 {
			r.Seats = &trace.Seats{Initial: seats}
		}
	}
	return nil
}

// isReason reports whether an outcome is the reason of a rejection.
func isReason(outcome string) bool {
	for reason := range queueset.Reasons {
		if outcome == reason.String() {
			return true
		}
	}
	return false
}
