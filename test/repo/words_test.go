package repo

import (
	"bytes"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// leftovers matches words of templates and of postponed work. They are
// concatenated, so that this file does not contain them.
func leftovers() *regexp.Regexp {
	words := []string{"war" + "dle", "flun" + "der", "to" + "do", "fix" + "me", "xx" + "x", "not " + "implemented"}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(words, "|") + `)`)
}

// places matches folders of one machine and hosts of registries. A clone must
// work anywhere, with the user's configured registries.
func places() *regexp.Regexp {
	return regexp.MustCompile(`/(root|work|farm|home)/|proxy\.golang|registry\.npmjs|deb\.debian`)
}

// foreignNames matches names of this project below a domain that belongs to the Kubernetes
// project, which defines none of them.
func foreignNames() *regexp.Regexp {
	return regexp.MustCompile(`\b(apf|config|scenario|suite|trace)\.flowcontrol\.apiserver\.k8s` + `\.io\b`)
}

func TestNamesOfThisProjectAreBelowItsDomain(t *testing.T) {
	reportLines(t, foreignNames(), "names that end in k8s.io belong to the Kubernetes project: use one of pkg/apf/names", func(name string) bool {
		return name != "CHANGELOG.md"
	})
}

func TestNoGoFileHoldsALeftover(t *testing.T) {
	reportLines(t, leftovers(), "a leftover or work put off: do it, or file an issue", func(name string) bool {
		return path.Ext(name) == ".go" && !strings.HasPrefix(name, generatedFolder) && !ofSampleServer(name)
	})
}

// ofSampleServer reports whether a file is for sample-apiserver, whose API the words name.
func ofSampleServer(name string) bool {
	return strings.HasPrefix(name, "test/adoption/sample-apiserver/") || name == "hack/lab/adoption/sample.go"
}

func TestNoFileNamesAPlaceOfOneMachine(t *testing.T) {
	reportLines(t, places(), "a folder of one machine or a registry's host: take it from the environment or a flag", func(name string) bool {
		return path.Base(name) != "go.sum"
	})
}

func reportLines(t *testing.T, pattern *regexp.Regexp, why string, wanted func(name string) bool) {
	t.Helper()
	looked := 0
	for _, name := range trackedFiles(t) {
		if !wanted(name) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(name)))
		require.NoError(t, err)
		if bytes.IndexByte(content, 0) >= 0 { // a binary file
			continue
		}
		looked++
		for number, line := range bytes.Split(content, []byte("\n")) {
			if found := pattern.Find(line); found != nil {
				t.Errorf("%s:%d: %q: %s", name, number+1, found, why)
			}
		}
	}
	require.NotZero(t, looked)
}

func TestPatternsFindWhatTheyAreFor(t *testing.T) {
	for _, line := range []string{"// TO" + "DO later", "the War" + "dle server", "errors.New(\"not " + "implemented\")"} {
		assert.Regexp(t, leftovers(), line)
	}
	for _, line := range []string{"cd /ro" + "ot/project", "https://proxy." + "golang.org", "-v /ho" + "me/me:/x"} {
		assert.Regexp(t, places(), line)
	}
	for _, line := range []string{"path: /workspace", "docs/framework/x", "a mastodon"} {
		assert.NotRegexp(t, places(), line)
		assert.NotRegexp(t, leftovers(), line)
	}
}
