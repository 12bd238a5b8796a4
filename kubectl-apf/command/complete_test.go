package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompletion(t *testing.T) {
	complete := func(words ...string) []string {
		var out, errOut bytes.Buffer
		args := append([]string{"/usr/local/bin/kubectl_complete-apf"}, words...)
		require.Zero(t, Run(t.Context(), environment(&out, &errOut), args), errOut.String())
		var names []string
		for line := range strings.Lines(out.String()) {
			name, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			names = append(names, name)
		}
		return names
	}
	assert.Equal(t, []string{"explain", ":4"}, complete("exp"))
	assert.Equal(t, []string{"levels", "flows", "requests", ":4"}, complete("top", ""))
	assert.Equal(t, []string{"--flow-schema", ":4"}, complete("why", "--flow-s"))
	assert.Equal(t, []string{"json", "yaml", "wide", ":4"}, complete("lint", "-o", ""))
}
