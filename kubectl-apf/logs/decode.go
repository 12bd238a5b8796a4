package logs

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	apirequest "k8s.io/apiserver/pkg/endpoints/request"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/filter"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// line is an audit event without the objects of request and response, which may be
// large.
type line struct {
	auditv1.Event
	RequestObject  *struct{} `json:"requestObject"`
	ResponseObject *struct{} `json:"responseObject"`
}

// eventDecoder decodes the lines of a log.
type eventDecoder struct {
	infos apirequest.RequestInfoFactory
}

func newEventDecoder() *eventDecoder {
	return &eventDecoder{apirequest.RequestInfoFactory{
		APIPrefixes:          sets.NewString("api", "apis"),
		GrouplessAPIPrefixes: sets.NewString("api"),
	}}
}

// decode returns the event of a line; nil if it is of an earlier stage.
func (d *eventDecoder) decode(text []byte) (*Event, error) {
	var l line
	if err := json.Unmarshal(text, &l); err != nil {
		return nil, fmt.Errorf("is no JSON of an audit event: %w", err)
	}
	if l.Kind != "Event" || l.APIVersion != auditv1.SchemeGroupVersion.String() {
		return nil, fmt.Errorf("has kind %q and apiVersion %q, must be Event and %s", l.Kind, l.APIVersion, auditv1.SchemeGroupVersion)
	}
	if l.Stage != auditv1.StageResponseComplete && l.Stage != auditv1.StagePanic {
		return nil, nil
	}
	e := &Event{
		ID: string(l.AuditID), URI: l.RequestURI, UserAgent: l.UserAgent,
		Received: l.RequestReceivedTimestamp.Time, Completed: l.StageTimestamp.Time,
	}
	if e.Completed.IsZero() {
		e.Completed, e.Unfinished = e.Received, true
	}
	if last := len(l.SourceIPs) - 1; last >= 0 {
		e.Address = l.SourceIPs[last]
	}
	if l.ResponseStatus != nil {
		e.Code, e.Reason = int(l.ResponseStatus.Code), string(l.ResponseStatus.Reason)
		e.RejectionReason = rejectionReason(l.ResponseStatus)
	}
	if err := d.fillAttributes(&e.Attributes, &l.Event); err != nil {
		return nil, err
	}
	if a := &e.Attributes; a.User != "" && len(a.Groups) == 0 {
		a.Groups, e.GroupsImplied = trace.WellKnownGroups(a.User), true
	}
	return e, e.annotate(l.Annotations)
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

// fillAttributes sets the attributes that flow control classified.
func (d *eventDecoder) fillAttributes(a *flow.Attributes, e *auditv1.Event) error {
	requester := &e.User
	if e.ImpersonatedUser != nil {
		requester = e.ImpersonatedUser
	}
	a.User, a.Groups, a.Verb = requester.Username, requester.Groups, e.Verb
	if a.Verb == "" {
		return errors.New("has no verb")
	}
	at, err := url.ParseRequestURI(e.RequestURI)
	if err != nil {
		return fmt.Errorf("has the requestURI %q, must be a path", e.RequestURI)
	}
	// The query only matters for the verb and the name, which the event tells.
	info, err := d.infos.NewRequestInfo(&http.Request{Method: http.MethodPost, URL: &url.URL{Path: at.Path}})
	if err != nil {
		return fmt.Errorf("has the requestURI %q: %w", e.RequestURI, err)
	}
	a.Path, a.IsResourceRequest = info.Path, info.IsResourceRequest
	a.APIGroup, a.APIVersion = info.APIGroup, info.APIVersion
	a.Resource, a.Subresource, a.Namespace = info.Resource, info.Subresource, info.Namespace
	if e.ObjectRef != nil {
		a.Name = e.ObjectRef.Name
	}
	return nil
}
