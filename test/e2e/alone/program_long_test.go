//go:build long

package alone

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// run runs a client in a folder, by default the test's. The client must succeed.
func (s *clientsSite) run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	output, err := s.try(t, dir, nil, program, args...)
	require.NoError(t, err, "%s\n%s", program, output)
	return output
}

// try runs a client that may fail, with its own HOME and additional environment.
func (s *clientsSite) try(t *testing.T, dir string, env []string, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Dir = dir
	command.Env = append(append(os.Environ(), "KUBECONFIG="+s.Kubeconfig, "HOME="+t.TempDir()), env...)
	output, err := command.CombinedOutput()
	return string(output), err
}

// python runs its Debian package's Python, not another one of the PATH.
func python(t *testing.T, s *clientsSite, name string) outcome {
	t.Helper()
	require.NoError(t, binaries.DebianPackages(t.Context(), "python3-kubernetes"))
	return told(s.run(t, "", "/usr/bin/python3", "testdata/client.py", name))
}

func ruby(t *testing.T, s *clientsSite, name string) outcome {
	t.Helper()
	require.NoError(t, binaries.DebianPackages(t.Context(), "ruby-kubeclient"))
	return told(s.run(t, "", "/usr/bin/ruby", "testdata/client.rb", name))
}

// ansible runs a playbook whose tasks are the steps.
func ansible(t *testing.T, s *clientsSite, name string) outcome {
	t.Helper()
	require.NoError(t, binaries.DebianPackages(t.Context(), "ansible", "python3-kubernetes"))
	output := s.run(t, "", "/usr/bin/ansible-playbook", "--extra-vars=name="+name, "testdata/playbook.yaml")
	var o outcome
	for _, task := range regexp.MustCompile(`(?m)^TASK \[(.+)\] \*`).FindAllStringSubmatch(output, -1) {
		o.works = append(o.works, task[1])
	}
	core := regexp.MustCompile(`core ([0-9.]+)`).FindStringSubmatch(s.run(t, "", "/usr/bin/ansible-playbook", "--version"))
	collection := regexp.MustCompile(`kubernetes\.core +([0-9.]+)`).FindStringSubmatch(s.run(t, "", "/usr/bin/ansible-galaxy", "collection", "list", "kubernetes.core"))
	require.NotNil(t, core)
	require.NotNil(t, collection)
	o.version = collection[1] + ", core " + core[1]
	return o
}

// javascript installs the client in a folder of the test.
func javascript(t *testing.T, s *clientsSite, name string) outcome {
	t.Helper()
	npm, err := binaries.Npm(t.Context())
	require.NoError(t, err)
	dir := t.TempDir()
	for _, file := range []string{"package.json", "client.mjs"} {
		content, err := os.ReadFile(filepath.Join("testdata", "javascript", file))
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), content, 0o644))
	}
	s.run(t, dir, npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock")
	o := told(s.run(t, dir, "node", "client.mjs", name))
	o.version += ", Node.js " + strings.TrimPrefix(strings.TrimSpace(s.run(t, "", "node", "--version")), "v")
	return o
}
