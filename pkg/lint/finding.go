package lint

import (
	"cmp"
	"fmt"
	"slices"
)

// Finding is one thing that the author of an object probably did not intend. Its JSON
// form is stable: fields are added, but neither removed nor renamed.
type Finding struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	// Object is the object to look at, and Field the path of the field in it, such as
	// spec.rules[0].subjects[1]. Field is empty if the whole object is meant.
	Object Object `json:"object"`
	Field  string `json:"field,omitempty"`
	// Message is one sentence of what is wrong.
	Message string `json:"message"`
	// Remedy is one sentence of what to do.
	Remedy string `json:"remedy"`
	// Link is where the code is explained, a path in this repository.
	Link string `json:"link"`
	// Related are the other objects that the finding is about.
	Related []Object `json:"related,omitempty"`
}

// Object names an object.
type Object struct {
	// Kind is FlowSchema, PriorityLevelConfiguration, or a Server's.
	Kind string `json:"kind"`
	Name string `json:"name"`
}

// String returns the object in the form KIND/NAME.
func (o Object) String() string { return o.Kind + "/" + o.Name }

const (
	kindFlowSchema    = "FlowSchema"
	kindPriorityLevel = "PriorityLevelConfiguration"
)

func schemaObject(name string) Object { return Object{Kind: kindFlowSchema, Name: name} }
func levelObject(name string) Object  { return Object{Kind: kindPriorityLevel, Name: name} }

// finding returns a finding with the severity of its code.
func finding(code Code, object Object, field, message, remedy string) Finding {
	return Finding{Code: code, Severity: code.severity(), Object: object, Field: field, Message: message, Remedy: remedy, Link: code.Link()}
}

func (f Finding) as(severity Severity) Finding {
	f.Severity = severity
	return f
}

func (f Finding) relatedTo(objects ...Object) Finding {
	f.Related = objects
	return f
}

// String returns the finding in the form of an API warning, which names the object
// by its context.
func (f Finding) String() string {
	text := string(f.Code)
	if f.Severity != Warning {
		text += fmt.Sprintf(" (%s)", f.Severity)
	}
	if f.Field != "" {
		text += ": " + f.Field
	}
	return text + ": " + f.Message + " " + f.Remedy
}

// concerns reports whether the finding is about one of the objects.
func (f Finding) concerns(objects map[Object]bool) bool {
	return objects[f.Object] || slices.ContainsFunc(f.Related, func(o Object) bool { return objects[o] })
}

// sortFindings orders findings by severity, code, object and field.
func sortFindings(findings []Finding) {
	slices.SortStableFunc(findings, func(a, b Finding) int {
		return cmp.Or(
			cmp.Compare(a.Severity.rank(), b.Severity.rank()),
			cmp.Compare(a.Code, b.Code),
			cmp.Compare(a.Object.Kind, b.Object.Kind),
			cmp.Compare(a.Object.Name, b.Object.Name),
			cmp.Compare(a.Field, b.Field),
		)
	})
}
