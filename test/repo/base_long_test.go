//go:build long

package repo

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTheServerBuildsOnLaterReleases takes minutes for each release, which must be compiled.
func TestTheServerBuildsOnLaterReleases(t *testing.T) {
	rows := regexp.MustCompile(`(?m)^(0\.\d+)\) release=`).FindAllStringSubmatch(fileText(t, "hack/base.sh"), -1)
	require.GreaterOrEqual(t, len(rows), 3)
	for _, row := range rows {
		release := row[1]
		t.Run(release, func(t *testing.T) {
			flags := strings.Fields(string(command(t, root(t), "hack/base.sh", release)))
			command(t, root(t), "go", append(append([]string{"build"}, flags...), "-o", t.TempDir(), "./cmd/...")...)
		})
	}
}
