package repo

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoFileNamesAPlaceOfOneMachine finds folders of one machine and hosts of registries. A clone must
// work anywhere, with the user's configured registries.
func TestNoFileNamesAPlaceOfOneMachine(t *testing.T) {
	places := regexp.MustCompile(`/(root|work|farm|home)/|proxy\.golang|registry\.npmjs|deb\.debian`)
	require.Regexp(t, places, "cd /ro"+"ot/project")
	require.NotRegexp(t, places, "path: /workspace")
	for _, name := range trackedFiles(t) {
		if path.Base(name) == "go.sum" || name == "test/repo/places_test.go" {
			continue
		}
		content := fileText(t, name)
		if strings.Contains(content, "\x00") { // a binary file
			continue
		}
		for number, line := range strings.Split(content, "\n") {
			if found := places.FindString(line); found != "" {
				t.Errorf("%s:%d: %q: take it from the environment or a flag", name, number+1, found)
			}
		}
	}
}
