package explain

import (
	"encoding/json"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// History are the objects of flow control that an audit log mentions, by UID. The
// zero History is empty.
type History struct {
	objects map[string]mention
}

// mention is an object in an audit log.
type mention struct {
	kind, name string
	// last is the time of the last event that mentions it.
	last time.Time
	// deleted is when it was deleted, and by whom; zero if the log does not say.
	deleted   time.Time
	deletedBy string
}

// Add adds an event.
func (h *History) Add(event *auditv1.Event) {
	reference := event.ObjectRef
	if reference == nil || reference.APIGroup != flowcontrolv1.GroupName || reference.Subresource != "" && reference.Subresource != "status" {
		return
	}
	kind := map[string]string{"flowschemas": FlowSchemaKind, "prioritylevelconfigurations": PriorityLevelKind}[reference.Resource]
	if kind == "" {
		return
	}
	failed := event.ResponseStatus != nil && event.ResponseStatus.Code >= 400
	deletes := event.Verb == "delete" && !failed && event.Stage == auditv1.StageResponseComplete
	see := func(uid, name string, deleted bool) { h.see(event, kind, uid, name, deleted) }
	see(string(reference.UID), reference.Name, deletes)
	if event.RequestObject != nil && !failed && event.Verb != "delete" {
		parse(event.RequestObject.Raw, func(uid, name string) { see(uid, name, false) })
	}
	if event.ResponseObject != nil && !failed {
		parse(event.ResponseObject.Raw, func(uid, name string) {
			see(uid, name, deletes || event.Verb == "deletecollection")
		})
	}
}

// see remembers an object of an event.
func (h *History) see(event *auditv1.Event, kind, uid, name string, deleted bool) {
	if uid == "" || name == "" {
		return
	}
	if h.objects == nil {
		h.objects = map[string]mention{}
	}
	m := h.objects[uid]
	m.kind, m.name = kind, name
	at := event.StageTimestamp.Time
	if at.After(m.last) {
		m.last = at
	}
	if deleted {
		m.deleted, m.deletedBy = at, event.User.Username
		if event.ImpersonatedUser != nil {
			m.deletedBy = event.ImpersonatedUser.Username
		}
	}
	h.objects[uid] = m
}

// parse calls see for each object in a body: an object, a list of objects, or the status that answers a deletion.
func parse(body []byte, see func(uid, name string)) {
	type identity struct {
		Name string `json:"name"`
		UID  string `json:"uid"`
	}
	var o struct {
		Metadata identity                      `json:"metadata"`
		Details  identity                      `json:"details"`
		Items    []struct{ Metadata identity } `json:"items"`
	}
	if json.Unmarshal(body, &o) != nil {
		return
	}
	see(o.Metadata.UID, o.Metadata.Name)
	see(o.Details.UID, o.Details.Name)
	for _, item := range o.Items {
		see(item.Metadata.UID, item.Metadata.Name)
	}
}
