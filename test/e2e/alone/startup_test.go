package alone

import (
	"bytes"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// rejected runs the server with invalid arguments and returns its one line of
// stderr.
func rejected(t *testing.T, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), harness.Program(t, binaries.Server), args...)
	command.Dir = harness.ShortDir(t)
	var stdout, stderr bytes.Buffer
	command.Stdout, command.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	require.ErrorAs(t, command.Run(), &exit)
	require.Equal(t, 1, exit.ExitCode(), stderr.String())
	require.Empty(t, stdout.String(), "stdout is for the line that says ready")
	var said []string
	for line := range strings.Lines(stderr.String()) {
		if !isLog(line) {
			said = append(said, strings.TrimSuffix(line, "\n"))
		}
	}
	require.Len(t, said, 1, stderr.String())
	message, found := strings.CutPrefix(said[0], "flowcontrol-apiserver: ")
	require.True(t, found, said[0])
	return message
}

// isLog reports whether a line is a klog line, such as I1120 20:46:27.404633.
func isLog(line string) bool {
	return len(line) > 5 && strings.ContainsRune("IWEF", rune(line[0])) && line[5] == ' ' && strings.Trim(line[1:5], "0123456789") == ""
}

func freePort(t *testing.T) string {
	t.Helper()
	return "--secure-port=" + strconv.Itoa(ports.Free(t, 1)[0])
}

func TestPortThatIsTakenIsNamed(t *testing.T) {
	t.Parallel()
	port := strconv.Itoa(ports.Free(t, 1)[0])
	taken, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", port))
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	message := rejected(t, "--secure-port="+port)
	require.Contains(t, message, port)
	require.Contains(t, message, "another program listens")
}
