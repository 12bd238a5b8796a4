package agreement_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// requireRights asserts that by RBAC the plug-in's ClusterRole has all rights that the
// commands need, and that without it each command names what it lacks.
func requireRights(t *testing.T, server *harness.APIServer) {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	harness.Program(t, binaries.Plugin)
	kubectl := server.Kubectl(t)
	kubectl.Run(t, "create", "-f", filepath.Join(root, "artifacts", "kubectl-apf", "clusterrole.yaml"))
	kubectl.Run(t, "create", "clusterrolebinding", "operator", "--clusterrole=kubectl-apf", "--user=operator")
	commands := [][]string{
		{"top", "--interval=0"}, {"top", "flows"}, {"top", "requests"}, {"lint"}, {"why", "--flow-schema=global-default"},
		{"whose", "no-uid"}, {"diff", "-f", filepath.Join(root, "artifacts", "examples", "batch-jobs.yaml")},
	}
	run := func(user string, command []string) harness.Result {
		return kubectl.Try(t, "", append(append([]string{"apf"}, command...), "--as="+user)...)
	}
	eventually.Holds(t, "the binding is in force", func(a *eventually.Attempt) {
		result := run("operator", commands[0])
		require.Zero(a, result.ExitCode, result.Stderr)
		require.NotContains(a, result.Stdout, "the permission \"")
	})
	for _, command := range commands {
		result := run("operator", command)
		assert.LessOrEqual(t, result.ExitCode, 1, "%s: %s", command, result.Stderr)
		assert.NotContains(t, result.Stdout+result.Stderr, "the permission \"", command)
		result = run("stranger", command)
		assert.Contains(t, result.Stdout+result.Stderr, "the permission \"", strings.Join(command, " "))
	}
}
