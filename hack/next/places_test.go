package main

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPlacesThatDoNotNameTheReleaseAreListed(t *testing.T) {
	var out bytes.Buffer
	n := next{out: &out, release: base{"0.38.0", 38}, previous: base{"0.37.2", 37}, root: tree(t, map[string]string{
		"CONTRIBUTING.md": "| to | change | told by |\n|---|---|---|\n" +
			"| add a flag | `pkg/flags.go` | `TestFlags` |\n" +
			"| add a release of Kubernetes that a client knows | `pkg/release.go`, `pkg/rules.go`, its patch in `pkg/releases`; docs/client.md | `TestReleases` |\n" +
			"| add a release of k8s.io to build on | `ADOPTION` in the Makefile | `make test` |\n" +
			"| add a release of k8s.io that is there already | docs/client.md | nobody |\n",
		"pkg/flags.go":         "",
		"pkg/release.go":       `const newest = "1.37"`,
		"pkg/rules.go":         "// no release here, but v10.38.0 and 0.381",
		"pkg/releases/next.go": `var next = "v1.38.0"`,
		"docs/client.md":       "It knows Kubernetes 1.29 to 1.38.",
		"Makefile":             "# 0.38.0-alpha.2 was tried.\nADOPTION ?= 0.36.6 0.37.2\n",
	})}
	require.NoError(t, n.printPlaces())
	_, listed, found := bytes.Cut(out.Bytes(), []byte("do not name the release\n"))
	require.True(t, found)
	assert.Equal(t, "add a release of Kubernetes that a client knows (told by `TestReleases`)\n"+
		"  [ ] pkg/release.go, which names 0.37 or 1.37\n"+
		"  [ ] pkg/rules.go\n"+
		"add a release of k8s.io to build on (told by `make test`)\n"+
		"  [ ] Makefile, which names 0.37 or 1.37\n", string(listed))
}

// TestRowsAboutReleasesAreFound fails if CONTRIBUTING.md calls them something else.
func TestRowsAboutReleasesAreFound(t *testing.T) {
	tasks, err := tasksOfReleases("../..")
	require.NoError(t, err)
	var places []string
	for _, task := range tasks {
		places = append(places, task.places...)
	}
	assert.Len(t, tasks, 4)
	assert.Subset(t, places, []string{"hack/base.sh", "Makefile", "docs/design/base.md", "pkg/insight/configuration/release.go", "test/binaries/program.go", "CHANGELOG.md"})
}
