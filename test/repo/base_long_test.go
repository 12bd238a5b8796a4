//go:build long

package repo

import (
	"strings"
	"testing"
)

// TestTheServerBuildsOnLaterReleases takes minutes for each release, which must be compiled.
func TestTheServerBuildsOnLaterReleases(t *testing.T) {
	for _, release := range []string{"0.35", "0.36", "0.37"} {
		t.Run(release, func(t *testing.T) {
			flags := strings.Fields(string(command(t, root(t), "hack/base.sh", release)))
			command(t, root(t), "go", append(append([]string{"build"}, flags...), "-o", t.TempDir(), "./cmd/...")...)
		})
	}
}
