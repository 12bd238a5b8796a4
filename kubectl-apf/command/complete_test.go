package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestCompletion(t *testing.T) {
	server := newAPIServer(t)
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
	kubeconfig := "--kubeconfig=" + server.kubeconfig
	assert.Equal(t, []string{"explain", ":4"}, complete("exp"))
	assert.Equal(t, []string{"levels", "flows", "requests", ":4"}, complete("top", ""))
	assert.Equal(t, []string{"list", ":4"}, complete("explain", "l"))
	assert.Equal(t, []string{"pods", ":4"}, complete("explain", kubeconfig, "--cache-dir="+t.TempDir(), "list", "po"))
	assert.Equal(t, []string{"scale", "status", ":4"}, complete("explain", "get", "deploy/web", "--subresource", "s"))
	assert.Equal(t, []string{"system-leader-election", "system-node-high", "system-nodes", ":4"}, complete("why", kubeconfig, "--flow-schema", "system-"))
	assert.Equal(t, []string{"--flow-schema", ":4"}, complete("why", "--flow"))
	assert.Equal(t, []string{"json", "yaml", "wide", "name", ":4"}, complete("lint", "-o", ""))

	script := run(t, "completion")
	assert.True(t, strings.HasPrefix(script.out, "#!/usr/bin/env sh\n"), script.out)
	assert.Contains(t, script.out, `exec kubectl-apf __complete "$@"`)
}
