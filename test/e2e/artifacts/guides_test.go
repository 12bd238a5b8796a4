package artifacts

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// TestGuidesShowWhatTheArtifactsHold detects, without a cluster, artifacts that
// changed while the guides did not. Package docs runs the commands of the guides
// in the long lane.
func TestGuidesShowWhatTheArtifactsHold(t *testing.T) {
	root := harness.Path(t, "")
	compared := 0
	for _, guide := range []struct{ document, heading string }{
		{"docs/deploy.md", "## With an etcd of its own"},
		{"docs/migration.md", "## From kube-apiserver to this server"},
		{"docs/migration.md", "## From this server to kube-apiserver"},
	} {
		t.Run(guide.document+" "+guide.heading, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(guide.document)))
			require.NoError(t, err)
			commands, err := tour.Commands(string(text), guide.heading)
			require.NoError(t, err)
			for _, command := range commands {
				requireShell(t, command.Line)
				for _, path := range regexp.MustCompile(`\bartifacts/[\w./-]+`).FindAllString(command.Line, -1) {
					_, err := os.Stat(filepath.Join(root, filepath.FromSlash(path)))
					require.NoError(t, err, command.Line)
				}
				if applied := regexp.MustCompile(`^(?:kubectl (?:apply|delete|replace) .*-k|artifacts/install.sh) artifacts/(\S+)$`).FindStringSubmatch(command.Line); applied != nil {
					compared++
					require.ElementsMatch(t, references(t, applied[1]), shown(command.Output), command.Line)
				}
			}
		})
	}
	require.Greater(t, compared, 2)
}

// requireShell checks the syntax of a command with bash -n.
func requireShell(t *testing.T, command string) {
	t.Helper()
	bash := exec.CommandContext(t.Context(), "bash", "-n")
	bash.Stdin = strings.NewReader(command)
	output, err := bash.CombinedOutput()
	require.NoError(t, err, "%s\n%s", command, output)
}

// references returns the objects of a folder as kubectl names them.
func references(t *testing.T, folder string) []string {
	t.Helper()
	var names []string
	for _, object := range render(t, folder) {
		kind := object.GroupVersionKind()
		name := strings.ToLower(kind.Kind)
		if kind.Group != "" {
			name += "." + kind.Group
		}
		names = append(names, name+"/"+object.GetName())
	}
	return names
}

// shown returns the objects that an output of kubectl names, each once.
func shown(output string) []string {
	var names []string
	for _, match := range regexp.MustCompile(`(?m)^([\w.]+)(?:/(\S+) (?:created|configured|replaced)| "(\S+)" deleted)$`).FindAllStringSubmatch(output, -1) {
		if name := match[1] + "/" + match[2] + match[3]; len(names) == 0 || names[len(names)-1] != name { // replace --force deletes first
			names = append(names, name)
		}
	}
	return names
}
