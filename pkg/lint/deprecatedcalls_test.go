package lint

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestAClientThatGetsSingleObjectsNamesTheVersion(t *testing.T) {
	for _, calls := range []DeprecatedCalls{{Writes: 1}, {Gets: 1}} {
		require.Contains(t, calls.Finding().Message, "It names the version:")
	}
}
