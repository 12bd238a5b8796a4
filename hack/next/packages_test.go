package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestImportedPackagesAreLookedForInTheModules(t *testing.T) {
	code := tree(t, map[string]string{
		"pkg/a/a.go":       "package a\n\nimport (\n\t\"fmt\"\n\t\"k8s.io/apiserver/pkg/stays\"\n)\n",
		"pkg/a/_base/a.go": "//go:build k8s0.35\n\npackage a\n\nimport _ \"k8s.io/apiserver/pkg/goes\"\n",
		"pkg/b/b.go":       "package b\n\nimport _ \"k8s.io/apiserver-other/pkg/goes\"\n",
	})
	used, err := imports([]string{code})
	require.NoError(t, err)
	before := map[string]string{"k8s.io/apiserver": tree(t, map[string]string{"pkg/stays/s.go": "", "pkg/goes/g.go": "", "-other/pkg/goes/g.go": ""})}
	after := map[string]string{"k8s.io/apiserver": tree(t, map[string]string{"pkg/stays/s.go": ""})}
	assert.Equal(t, map[string]string{"k8s.io/apiserver/pkg/stays": "imported by package a", "k8s.io/apiserver/pkg/goes": "imported by package a"}, there(used, before))
	assert.Equal(t, map[string]string{"k8s.io/apiserver/pkg/stays": "imported by package a"}, there(used, after))
}
