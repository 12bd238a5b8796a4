//go:build !smd6 && !smd7

package structuredmerge

import "sigs.k8s.io/structured-merge-diff/v4/fieldpath"

// This file is for k8s.io 0.33. It can go when go.mod requires k8s.io 0.34.
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
