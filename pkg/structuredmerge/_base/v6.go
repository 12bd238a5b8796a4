//go:build smd6

package structuredmerge

import "sigs.k8s.io/structured-merge-diff/v6/fieldpath"

// This file is for k8s.io 0.34 to 0.37, whose field managers are of version 6. It can go when
// go.mod requires k8s.io 0.38.
type (
	// APIVersion is the group and version that name fields.
	APIVersion = fieldpath.APIVersion
	// Set is a set of paths of fields.
	Set = fieldpath.Set
)

// NewSet returns a set of paths.
func NewSet(paths ...fieldpath.Path) *Set { return fieldpath.NewSet(paths...) }

// MakePathOrDie returns a path. It panics if parts are not of a path.
func MakePathOrDie(parts ...any) fieldpath.Path { return fieldpath.MakePathOrDie(parts...) }
