package explain

import (
	"encoding/json"
	"time"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// group is the API group of the objects.
const group = "flowcontrol.apiserver.k8s.io"

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
	if reference == nil || reference.APIGroup != group || reference.Subresource != "" && reference.Subresource != "status" {
		return
	}
	kind := kindOfUID(reference.Resource)
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

func kindOfUID(resource string) string {
	switch resource {
	case "flowschemas":
		return FlowSchemaKind
	case "prioritylevelconfigurations":
		return PriorityLevelKind
	default:
		return ""
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

// object is an object, a list of objects, or the status that answers a deletion.
type object struct {
	Metadata identity   `json:"metadata"`
	Details  identity   `json:"details"`
	Items    []listItem `json:"items"`
}

type listItem struct {
	Metadata identity `json:"metadata"`
}

type identity struct {
	Name string `json:"name"`
	UID  string `json:"uid"`
}

// parse calls see for each object in a body.
func parse(body []byte, see func(uid, name string)) {
	var o object
	if json.Unmarshal(body, &o) != nil {
		return
	}
	see(o.Metadata.UID, o.Metadata.Name)
	see(o.Details.UID, o.Details.Name)
	for _, item := range o.Items {
		see(item.Metadata.UID, item.Metadata.Name)
	}
}
