//go:build smd7

package structuredmerge

import "sigs.k8s.io/structured-merge-diff/v7/fieldpath"

// This file is for k8s.io 0.38, whose field managers are of version 7. It replaces the others when
// go.mod requires it.
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
