//go:build long

package alone

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// terminal is a program in a terminal of tmux.
type terminal struct {
	tmux, socket string
}

// startTerminal starts a program, with its environment, in a terminal of 200 columns and 50
// lines. It ends with the test.
func startTerminal(t *testing.T, env []string, command ...string) *terminal {
	t.Helper()
	tmux, err := exec.LookPath("tmux")
	require.NoError(t, err, "install tmux")
	term := &terminal{tmux, filepath.Join(harness.ShortDir(t), "tmux")}
	start := term.command("-u", "-f", "/dev/null", "new-session", "-d", "-x", "200", "-y", "50")
	start.Args = append(start.Args, command...)
	start.Env = append(os.Environ(), env...)
	output, err := start.CombinedOutput()
	require.NoError(t, err, "%s", output)
	t.Cleanup(func() { _ = term.command("kill-server").Run() })
	return term
}

func (term *terminal) command(args ...string) *exec.Cmd {
	return exec.Command(term.tmux, append([]string{"-S", term.socket}, args...)...)
}

// screen returns what the terminal shows.
func (term *terminal) screen(t require.TestingT) string {
	output, err := term.command("capture-pane", "-p").CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}

// press presses keys, by the names that tmux gives them.
func (term *terminal) press(t require.TestingT, keys ...string) {
	output, err := term.command(append([]string{"send-keys"}, keys...)...).CombinedOutput()
	require.NoError(t, err, "%s", output)
}

// enter types a line.
func (term *terminal) enter(t require.TestingT, text string) {
	term.press(t, "-l", text)
	term.press(t, "Enter")
}

// shows waits until the screen matches a pattern, and returns it.
func (term *terminal) shows(t *testing.T, pattern string) (screen string) {
	t.Helper()
	eventually.Holds(t, "the screen shows "+pattern, func(a *eventually.Attempt) {
		screen = term.screen(a)
		require.Regexp(a, pattern, screen)
	})
	return screen
}
