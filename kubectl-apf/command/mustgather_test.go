package command

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTopOfAMustGather reads a must-gather of OpenShift with two API servers; seven requests wait
// on each.
func TestTopOfAMustGather(t *testing.T) {
	dumps := "--dumps=" + filepath.Join("..", "source", "testdata", "must-gather")
	got := run(t, "top", dumps)
	require.Zero(t, got.status, got.errOut)
	assert.Regexp(t, `(?m)^TOTAL +- +- +- +14 `, got.out)
	got = run(t, "lint", dumps)
	assert.Contains(t, got.out, "21 objects checked", got.errOut)
}
