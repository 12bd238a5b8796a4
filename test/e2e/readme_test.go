package e2e

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

var updateReadme = flag.Bool("update-readme", false, "write the output of the tour's commands into README.md")

const (
	tourStart = "## Tour of five minutes"
	tourGrace = 3 * time.Minute
)

// TestReadmeTour runs each command of the README's tour, in order and in one
// shell, on a server as `make run` starts it, and compares what it prints.
// Words that differ from run to run, as ages and uids, are compared by shape.
func TestReadmeTour(t *testing.T) {
	root, err := binaries.Root()
	require.NoError(t, err)
	path := filepath.Join(root, "README.md")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	tour := parseTour(t, string(text))

	outputs := runTour(t, root, tour.commands())
	if *updateReadme {
		require.NoError(t, os.WriteFile(path, []byte(tour.render(outputs)), 0o644))
		return
	}
	for i, command := range tour.commands() {
		require.Equal(t, shape(tour.outputs()[i]), shape(outputs[i]),
			"README.md shows another output of %q; go test ./test/e2e -run TestReadmeTour -update-readme writes the new one", command)
	}
}

// runTour runs the commands in a directory that looks like a fresh clone, and
// returns what each printed.
func runTour(t *testing.T, root string, commands []string) []string {
	clone := harness.ShortDir(t)
	require.NoError(t, os.Symlink(filepath.Join(root, "artifacts"), filepath.Join(clone, "artifacts")))
	harness.StartServer(t, harness.ServerOptions{DataDir: filepath.Join(clone, ".flowcontrol-apiserver")})
	kubectl, err := binaries.Kubectl(t.Context())
	require.NoError(t, err)

	const mark = "--- next ---"
	var script strings.Builder
	for _, command := range commands {
		script.WriteString(command + "\necho '" + mark + "'\n")
	}
	ctx, cancel := context.WithTimeout(t.Context(), tourGrace)
	defer cancel()
	shell := exec.CommandContext(ctx, "bash")
	shell.Dir = clone
	shell.Env = append(os.Environ(), "HOME="+t.TempDir(), "PATH="+filepath.Dir(kubectl)+":"+os.Getenv("PATH"))
	shell.Stdin = strings.NewReader(script.String())
	var output bytes.Buffer
	shell.Stdout, shell.Stderr = &output, &output
	require.NoError(t, shell.Run(), output.String())

	parts := strings.Split(output.String(), mark+"\n")
	require.Len(t, parts, len(commands)+1, output.String())
	return parts[:len(commands)]
}

// tour is the README, cut at its commands.
type tour struct {
	// pieces alternate: text up to and including a command's line, then the
	// output shown for it.
	pieces []string
	lines  []string
}

func (r tour) commands() []string { return r.lines }

func (r tour) outputs() []string {
	var outputs []string
	for i := 1; i < len(r.pieces); i += 2 {
		outputs = append(outputs, r.pieces[i])
	}
	return outputs
}

// render puts the outputs in the place of those shown.
func (r tour) render(outputs []string) string {
	var text strings.Builder
	for i, piece := range r.pieces {
		if i%2 == 1 {
			piece = tidy(outputs[i/2])
		}
		text.WriteString(piece)
	}
	return text.String()
}

// tidy ends each line of an output without spaces and the last one with a line
// break.
func tidy(output string) string {
	output = strings.TrimRight(regexp.MustCompile(`(?m)[ \t]+$`).ReplaceAllString(output, ""), "\n")
	if output == "" {
		return ""
	}
	return output + "\n"
}

func parseTour(t *testing.T, text string) tour {
	before, after, found := strings.Cut(text, tourStart)
	require.True(t, found, "README.md has no section %q", tourStart)
	result, piece, inBlock := tour{}, before+tourStart, false
	for _, line := range strings.SplitAfter(after, "\n") {
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			if inBlock && len(result.pieces)%2 == 1 {
				result.pieces, piece = append(result.pieces, piece), ""
			}
			inBlock = strings.HasPrefix(line, "```console")
		case inBlock && isCommand:
			if len(result.pieces)%2 == 1 {
				result.pieces, piece = append(result.pieces, piece), ""
			}
			result.lines = append(result.lines, strings.TrimSuffix(command, "\n"))
			result.pieces, piece = append(result.pieces, piece+line), ""
			continue
		}
		piece += line
	}
	require.NotEmpty(t, result.lines, "README.md shows no command in its tour")
	result.pieces = append(result.pieces, piece)
	return result
}

// shape takes out of an output what differs from run to run.
func shape(output string) string {
	for _, variable := range []struct{ pattern, shape string }{
		{`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`, "UID"},
		{`Retry-After: \d+`, "Retry-After: N"},
		{`(?m)(requests_total\{.*\}) \d+$`, "$1 N"},
		{`\b\d+(m\d+)?[sm]\b`, "AGE"},
		{`127\.0\.0\.1:\d+`, "ADDRESS"},
		{`[ \t]+`, " "},
		{`(?m) $`, ""},
	} {
		output = regexp.MustCompile(variable.pattern).ReplaceAllString(output, variable.shape)
	}
	return strings.TrimSpace(output)
}
