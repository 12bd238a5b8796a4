package source

import (
	"errors"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
)

// Files are the objects of files.
type Files struct {
	// Objects are in the order of the files.
	Objects []Object
	// Namespaces are the names of Namespaces in the files, ServiceAccounts the names of
	// ServiceAccounts by their namespace.
	Namespaces      []string
	ServiceAccounts map[string][]string
	// Errors are the documents that could not be read.
	Errors []FileError
	// Notes are sentences about what was skipped, ignored or converted.
	Notes []string

	skipped int             // documents of directories
	pages   map[string]bool // the kinds of lists that are there as a page
}

// Object is an object of the group in a file: FlowSchema or PriorityLevel is set. It has
// the defaults that a server sets, and is converted to v1.
type Object struct {
	FlowSchema    *flowcontrolv1.FlowSchema
	PriorityLevel *flowcontrolv1.PriorityLevelConfiguration
	Place         Place
	// APIVersion is that in the file, such as "flowcontrol.apiserver.k8s.io/v1beta3".
	APIVersion string
	// UnknownFields are the paths of fields that APIVersion does not have, such as
	// "spec.limited.assuredConcurrencyShares". A server ignores or rejects them.
	UnknownFields []string
	// DuplicateFields say which fields are there twice. The last value counts.
	DuplicateFields []string
	// IsNameGenerated reports that the file has no name: the object's name stands for
	// the one that a server generates.
	IsNameGenerated bool
}

// Name returns the name of the object.
func (o Object) Name() string { return o.metadata().Name }

// Kind returns the kind of the object.
func (o Object) Kind() string {
	if o.FlowSchema != nil {
		return "FlowSchema"
	}
	return "PriorityLevelConfiguration"
}

func (o Object) metadata() *metav1.ObjectMeta {
	if o.FlowSchema != nil {
		return &o.FlowSchema.ObjectMeta
	}
	return &o.PriorityLevel.ObjectMeta
}

// Place is where a document is.
type Place struct {
	// File is the name of the file, "-" for standard input.
	File string
	// Line is the first line of the document, from 1 on.
	Line int
	// Item is the index of the object in a list, from 0 on; -1 if there is no list.
	Item int
}

// String returns the place as in "levels.yaml:12" or "levels.yaml:12: items[3]".
func (p Place) String() string {
	if p.Item < 0 {
		return fmt.Sprintf("%s:%d", p.File, p.Line)
	}
	return fmt.Sprintf("%s:%d: items[%d]", p.File, p.Line, p.Item)
}

// FileError is a document, or a whole file if Place.Line is 0, that cannot be read.
type FileError struct {
	Place Place
	Err   error
}

func (e FileError) Error() string {
	if e.Place.File == "" {
		return oneSentence(e.Err) // it names the file
	}
	if e.Place.Line == 0 {
		return fmt.Sprintf("%s: %s", e.Place.File, oneSentence(e.Err))
	}
	return fmt.Sprintf("%s: %s", e.Place, oneSentence(e.Err))
}

// Unwrap returns the cause.
func (e FileError) Unwrap() error { return e.Err }

// FlowSchemas returns the flow schemas of the files.
func (f Files) FlowSchemas() []*flowcontrolv1.FlowSchema {
	var schemas []*flowcontrolv1.FlowSchema
	for _, object := range f.Objects {
		if object.FlowSchema != nil {
			schemas = append(schemas, object.FlowSchema)
		}
	}
	return schemas
}

// PriorityLevels returns the priority levels of the files.
func (f Files) PriorityLevels() []*flowcontrolv1.PriorityLevelConfiguration {
	var levels []*flowcontrolv1.PriorityLevelConfiguration
	for _, object := range f.Objects {
		if object.PriorityLevel != nil {
			levels = append(levels, object.PriorityLevel)
		}
	}
	return levels
}

// Err returns the errors of all documents as one; nil if there are none.
func (f Files) Err() error {
	all := make([]error, 0, len(f.Errors))
	for _, err := range f.Errors {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// Over returns the configuration after the files were applied to it. A document that cannot be read is an error.
func (f Files) Over(below configuration.Configuration) (configuration.Configuration, error) {
	below.Notes = slices.Concat(below.Notes, f.Notes)
	return below.Overlay(f.FlowSchemas(), f.PriorityLevels()), f.Err()
}
