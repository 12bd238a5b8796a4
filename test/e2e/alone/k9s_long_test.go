//go:build long

package alone

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// k9sObjects are a schema and its level.
const k9sObjects = `
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: PriorityLevelConfiguration
metadata: {name: batch-jobs}
spec: {type: Limited, limited: {nominalConcurrencyShares: 41, limitResponse: {type: Reject}}}
---
apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata: {name: batch-jobs}
spec: {priorityLevelConfiguration: {name: batch-jobs}, matchingPrecedence: 741}
`

// editor replaces in the file that it is given what this test changes.
const editor = `#!/bin/sh
exec sed -i -e 's/matchingPrecedence: 741/matchingPrecedence: 852/' -e 's/nominalConcurrencyShares: 41/nominalConcurrencyShares: 52/' "$1"
`

// TestK9s lists, describes, edits and deletes a schema and its level.
func TestK9s(t *testing.T) {
	server := harness.StartServer(t, harness.ServerOptions{})
	kubectl := server.Kubectl(t)
	kubectl.RunInput(t, k9sObjects, "apply", "-f", "-")
	k9s := startTerminal(t, environment(t), harness.Program(t, binaries.K9s), "--kubeconfig="+server.Kubeconfig, "--splashless", "--command=flowschemas")

	k9s.shows(t, `(?i)flowschemas\(.*\)\[14\]`)
	screen := k9s.shows(t, `batch-jobs +batch-jobs +741 `)
	require.Regexp(t, `NAME\S* +PRIORITYLEVEL +MATCHINGPRECEDENCE +DISTINGUISHERMETHOD +`, screen)
	require.Regexp(t, `global-default +global-default +9900 +ByUser `, screen)
	change(t, k9s, `Matching Precedence: +741`, `batch-jobs +batch-jobs +852 `)
	require.Contains(t, kubectl.Run(t, "get", "flowschema", "batch-jobs"), "852")
	remove(t, k9s)
	require.NotContains(t, kubectl.Run(t, "get", "flowschemas", "-o", "name"), "batch-jobs")

	k9s.enter(t, ":prioritylevelconfigurations")
	k9s.shows(t, `(?i)prioritylevelconfigurations\(.*\)\[9\]`)
	k9s.shows(t, `batch-jobs +Limited +41 `)
	change(t, k9s, `Nominal Concurrency Shares: +41`, `batch-jobs +Limited +52 `)
	require.Contains(t, kubectl.Run(t, "get", "prioritylevelconfiguration", "batch-jobs"), "52")
	removeInForeground(t, k9s)
	require.NotContains(t, kubectl.Run(t, "get", "prioritylevelconfigurations", "-o", "name"), "batch-jobs")
}

// environment returns what k9s finds: kubectl, an editor, and files of its own. It does not
// look for a newer release.
func environment(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "editor")
	require.NoError(t, os.WriteFile(path, []byte(editor), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "config.yaml"), []byte("k9s: {skipLatestRevCheck: true, refreshRate: 1}\n"), 0o600))
	bin := filepath.Dir(harness.Program(t, binaries.Kubectl))
	return []string{"HOME=" + dir, "K9S_CONFIG_DIR=" + dir, "K9S_LOGS_DIR=" + dir, "EDITOR=" + path, "PATH=" + bin + ":" + os.Getenv("PATH"), "LANG=C.UTF-8"}
}

// change selects the object, describes it and edits it.
func change(t *testing.T, k9s *terminal, described, edited string) {
	t.Helper()
	k9s.enter(t, "/batch-jobs")
	k9s.shows(t, `\[1\]`)
	k9s.press(t, "d")
	k9s.shows(t, described)
	k9s.press(t, "Escape")
	k9s.shows(t, `\[1\]`)
	k9s.press(t, "e")
	k9s.shows(t, edited)
}

// remove deletes the selected object. In the dialog Cancel has the focus, and OK is next.
func remove(t *testing.T, k9s *terminal) {
	t.Helper()
	k9s.press(t, "C-d")
	k9s.shows(t, `Delete \w+ -/batch-jobs\?`)
	k9s.press(t, "Tab", "Enter")
	k9s.shows(t, `\[0\]`)
}

// removeInForeground selects the propagation, two fields before Cancel: an object that waits
// for a garbage collector would stay.
func removeInForeground(t *testing.T, k9s *terminal) {
	t.Helper()
	k9s.press(t, "C-d")
	k9s.shows(t, `Delete \w+ -/batch-jobs\?`)
	k9s.press(t, "BTab", "BTab", "Enter", "Down", "Enter")
	k9s.shows(t, `Propagation: Foreground`)
	k9s.press(t, "Tab", "Tab", "Tab", "Enter")
	k9s.shows(t, `\[0\]`)
}
