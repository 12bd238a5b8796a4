package explain

import (
	"fmt"
	"io"
	"slices"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// The kinds of objects.
const (
	FlowSchemaKind    = "FlowSchema"
	PriorityLevelKind = "PriorityLevelConfiguration"
)

// State says what is known about an object.
type State string

// The states of an object.
const (
	// Current means that the object exists in the configuration.
	Current State = "current"
	// Deleted means that the audit log has the deletion of the object.
	Deleted State = "deleted"
	// Former means that the audit log mentions the object, and the configuration lacks
	// it.
	Former State = "former"
	// NotFound means that neither has the object.
	NotFound State = "notFound"
)

// Object is the object behind a UID. Its JSON form is stable: fields may be added, not
// changed.
type Object struct {
	UID string `json:"uid"`
	// Kind is FlowSchema or PriorityLevelConfiguration; empty if the object was not
	// found. Name is its name.
	Kind  string `json:"kind,omitempty"`
	Name  string `json:"name,omitempty"`
	State State  `json:"state"`
	// PriorityLevel is the level of a flow schema that exists.
	PriorityLevel string `json:"priorityLevel,omitempty"`
	// LastSeen is the time of the last audit event that mentions an object that does
	// not exist. Deleted is when it was deleted, DeletedBy who did it.
	LastSeen  *time.Time `json:"lastSeen,omitempty"`
	Deleted   *time.Time `json:"deleted,omitempty"`
	DeletedBy string     `json:"deletedBy,omitempty"`
	// ReplacedBy is the UID of an object with the same kind and name that exists.
	ReplacedBy string `json:"replacedBy,omitempty"`
	// Message is one sentence.
	Message string `json:"message"`
}

// Objects are the objects behind several UIDs.
type Objects []Object

// HasUIDs reports whether an object of the configuration has a UID: objects in files and built-in
// objects have none.
func HasUIDs(c configuration.Configuration) bool {
	return slices.ContainsFunc(c.FlowSchemas, func(s *flowcontrolv1.FlowSchema) bool { return s.UID != "" }) ||
		slices.ContainsFunc(c.PriorityLevels, func(l *flowcontrolv1.PriorityLevelConfiguration) bool { return l.UID != "" })
}

// FindUIDs returns the objects with the UIDs, in the same order. history may be nil.
func FindUIDs(uids []string, c configuration.Configuration, history *History) Objects {
	existing := map[string]Object{}
	replacements := map[[2]string]string{}
	for _, s := range c.FlowSchemas {
		existing[string(s.UID)] = Object{Kind: FlowSchemaKind, Name: s.Name, PriorityLevel: s.Spec.PriorityLevelConfiguration.Name}
		replacements[[2]string{FlowSchemaKind, s.Name}] = string(s.UID)
	}
	for _, l := range c.PriorityLevels {
		existing[string(l.UID)] = Object{Kind: PriorityLevelKind, Name: l.Name}
		replacements[[2]string{PriorityLevelKind, l.Name}] = string(l.UID)
	}
	out := make(Objects, len(uids))
	for i, uid := range uids {
		found, exists := existing[uid]
		switch {
		case uid != "" && exists:
			found.State, found.Message = Current, fmt.Sprintf("%s %q exists.", found.Kind, found.Name)
		default:
			found = formerly(uid, history, replacements)
		}
		found.UID = uid
		out[i] = found
	}
	return out
}

// formerly returns an object that does not exist.
func formerly(uid string, history *History, replacements map[[2]string]string) Object {
	if history == nil {
		return Object{State: NotFound, Message: fmt.Sprintf("No flow schema and no priority level has the UID %q now; an audit log shows whether one had it.", uid)}
	}
	m, mentioned := history.objects[uid]
	if !mentioned {
		return Object{State: NotFound, Message: fmt.Sprintf("No flow schema and no priority level has the UID %q, and the audit log mentions none that had it.", uid)}
	}
	o := Object{Kind: m.kind, Name: m.name, State: Former, LastSeen: &m.last, ReplacedBy: replacements[[2]string{m.kind, m.name}]}
	o.Message = fmt.Sprintf("%s %q does not exist any more; the audit log mentions it last at %s.", m.kind, m.name, m.last.UTC().Format(time.RFC3339))
	if !m.deleted.IsZero() {
		o.State, o.Deleted, o.DeletedBy = Deleted, &m.deleted, m.deletedBy
		o.Message = fmt.Sprintf("%s %q was deleted at %s by %s.", m.kind, m.name, m.deleted.UTC().Format(time.RFC3339), m.deletedBy)
	}
	if o.ReplacedBy != "" {
		o.Message += " Another of the same name exists."
	}
	return o
}

// WriteTable writes the objects for people.
func (o Objects) WriteTable(w io.Writer, options table.Options) error {
	t := table.New("UID", "KIND?2", "NAME", "PRIORITY LEVEL?1", "STATE")
	for _, one := range o {
		t.Rows = append(t.Rows, []string{one.UID, table.OrDash(one.Kind), table.OrDash(one.Name), table.OrDash(one.PriorityLevel), string(one.State)})
	}
	if err := t.Write(w, options); err != nil {
		return err
	}
	for _, one := range o {
		if one.State != Current {
			fmt.Fprintln(w, table.Escape(one.Message))
		}
	}
	return nil
}
