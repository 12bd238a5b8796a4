package trace

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestWellKnownGroups(t *testing.T) {
	for name, want := range map[string][]string{
		"system:serviceaccount:ci:builder": {"system:serviceaccounts", "system:serviceaccounts:ci", "system:authenticated"},
		"system:serviceaccount:ci":         {"system:authenticated"},
		"system:node:a":                    {"system:nodes", "system:authenticated"},
		"system:anonymous":                 {"system:unauthenticated"},
		"alice":                            {"system:authenticated"},
	} {
		assert.Equal(t, want, WellKnownGroups(name), name)
	}
}
