package e2e

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// refused runs the server with arguments that it must refuse, and returns the
// one line that it says on stderr.
func refused(t *testing.T, args ...string) string {
	t.Helper()
	path, err := binaries.Server(t.Context())
	require.NoError(t, err)
	command := exec.CommandContext(t.Context(), path, args...)
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

// isLog tells a line of the log, as I1120 20:46:27.404633, from a message.
func isLog(line string) bool {
	return len(line) > 5 && strings.ContainsRune("IWEF", rune(line[0])) && line[5] == ' ' && strings.Trim(line[1:5], "0123456789") == ""
}

func TestBadFlagsAreRefusedInOneLine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		args []string
		says []string
	}{
		{"unknown flag", []string{"--nonsense"}, []string{"--nonsense", "--help"}},
		{"argument that is no flag", []string{"start"}, []string{`"start"`}},
		{"port out of range", []string{"--secure-port=70000"}, []string{"--secure-port", "65535"}},
		{"address that is none", []string{"--bind-address=here"}, []string{"--bind-address"}},
		{"no data directory", []string{"--data-dir="}, []string{"--data-dir"}},
		{"certificate for an etcd that is not named", []string{"--etcd-certfile=x"}, []string{"--etcd-certfile", "--etcd-servers"}},
		{"certificate for etcd without its key", []string{"--etcd-servers=http://127.0.0.1:1", "--etcd-certfile=x"}, []string{"--etcd-certfile", "--etcd-keyfile"}},
		{"serving certificate without its key", []string{"--tls-cert-file=x"}, []string{"--tls-cert-file", "--tls-private-key-file"}},
		{"v1 switched off", []string{"--runtime-config=flowcontrol.apiserver.k8s.io/v1=false"}, []string{"--runtime-config", "v1beta3"}},
		{"version nobody knows switched on", []string{"--runtime-config=flowcontrol.apiserver.k8s.io/v9=true"}, []string{"v9"}},
		{"feature nobody knows", []string{"--feature-gates=Nonsense=true"}, []string{"Nonsense"}},
		{"no seats", []string{"--max-requests-inflight=0", "--max-mutating-requests-inflight=0"}, []string{"--max-requests-inflight", "--enable-priority-and-fairness=false"}},
		{"less than no time", []string{"--request-timeout=-1s"}, []string{"--request-timeout"}},
		{"admission without a cluster", []string{"--enable-admission-plugins=MutatingAdmissionWebhook"}, []string{"--enable-admission-plugins", "--kubeconfig"}},
		{"lookup without a cluster", []string{"--authentication-skip-lookup"}, []string{"--authentication-skip-lookup", "--kubeconfig"}},
		{"token file behind a kube-apiserver", []string{"--kubeconfig=x", "--token-auth-file=y"}, []string{"--token-auth-file", "--kubeconfig"}},
		{"storage type nobody knows", []string{"--storage-media-type=text/html"}, []string{"--storage-media-type"}},
		{"log format nobody knows", []string{"--logging-format=xml"}, []string{"xml"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			message := refused(t, test.args...)
			for _, text := range test.says {
				require.Contains(t, message, text)
			}
		})
	}
}

func TestBadFilesAreRefusedInOneLine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	garbage, shortLine, absent := filepath.Join(dir, "garbage"), filepath.Join(dir, "tokens"), filepath.Join(dir, "absent")
	require.NoError(t, os.WriteFile(garbage, []byte("garbage\n"), 0o600))
	require.NoError(t, os.WriteFile(shortLine, []byte("token,user,uid\nanother\n"), 0o600))
	ca := harness.NewCA(t, "ca")
	one, other := ca.Server(t, "one"), ca.Server(t, "other")

	for _, test := range []struct {
		name string
		args []string
		says []string
	}{
		{"serving certificate that is absent", []string{"--tls-cert-file=" + absent, "--tls-private-key-file=" + one.KeyFile}, []string{"--tls-cert-file", absent}},
		{"serving certificate that is none", []string{"--tls-cert-file=" + garbage, "--tls-private-key-file=" + one.KeyFile}, []string{"--tls-cert-file", garbage}},
		{"serving certificate with the key of another", []string{"--tls-cert-file=" + one.CertFile, "--tls-private-key-file=" + other.KeyFile}, []string{"--tls-private-key-file", "does not match"}},
		{"authority of etcd that is absent", []string{"--etcd-servers=https://127.0.0.1:1", "--etcd-cafile=" + absent}, []string{"--etcd-cafile", absent}},
		{"authority of etcd that is none", []string{"--etcd-servers=https://127.0.0.1:1", "--etcd-cafile=" + garbage}, []string{"--etcd-cafile", garbage}},
		{"certificate for etcd with the key of another", []string{"--etcd-servers=https://127.0.0.1:1", "--etcd-certfile=" + one.CertFile, "--etcd-keyfile=" + other.KeyFile}, []string{"--etcd-certfile", "--etcd-keyfile", "does not match"}},
		{"client authority that is absent", []string{"--client-ca-file=" + absent}, []string{"--client-ca-file", absent}},
		{"client authority that is none", []string{"--client-ca-file=" + garbage}, []string{"--client-ca-file", garbage}},
		{"token file that is absent", []string{"--token-auth-file=" + absent}, []string{"--token-auth-file", absent}},
		{"token file with a broken line", []string{"--token-auth-file=" + shortLine}, []string{"--token-auth-file", shortLine}},
		{"webhook that is not described", []string{"--authorization-webhook-config-file=" + garbage}, []string{"--authorization-webhook-config-file", garbage}},
		{"kubeconfig that is absent", []string{"--kubeconfig=" + absent}, []string{"--kubeconfig", absent}},
		{"audit policy that is none", []string{"--audit-policy-file=" + garbage, "--audit-log-path=-"}, []string{"audit", garbage}},
		{"encryption configuration that is absent", []string{"--encryption-provider-config=" + absent}, []string{"encryption", absent}},
		{"tracing configuration that is absent", []string{"--tracing-config-file=" + absent}, []string{"tracing-config-file", absent}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			message := refused(t, append(test.args, freePort(t))...)
			for _, text := range test.says {
				require.Contains(t, message, text)
			}
		})
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	return "--secure-port=" + strconv.Itoa(harness.FreePorts(t, 1)[0])
}

func TestPortThatIsTakenIsNamed(t *testing.T) {
	t.Parallel()
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer func() { _ = taken.Close() }()
	port := strconv.Itoa(taken.Addr().(*net.TCPAddr).Port)
	message := refused(t, "--secure-port="+port)
	require.Contains(t, message, port)
	require.Contains(t, message, "another program listens")
}

func TestDataDirectoryThatCannotBeUsedIsNamed(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	open := filepath.Join(t.TempDir(), "open")
	require.NoError(t, os.Mkdir(open, 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(open, "holiday.jpg"), nil, 0o600))
	require.NoError(t, os.Chmod(open, 0o755))
	for name, path := range map[string]string{
		"a file":                          file,
		"below a file":                    filepath.Join(file, "data"),
		"where nothing can be written":    "/proc/data",
		"a directory of something else's": open,
	} {
		message := refused(t, "--data-dir="+path, freePort(t))
		require.Contains(t, message, path, name)
		require.Contains(t, message, "--data-dir", name)
	}
	require.FileExists(t, filepath.Join(open, "holiday.jpg"))
}

func TestSecondServerOnADataDirectorySaysWhoHasIt(t *testing.T) {
	t.Parallel()
	s := startSite(t, nil)
	message := refused(t, "--data-dir="+s.DataDir, freePort(t))
	require.Contains(t, message, s.DataDir)
	require.Contains(t, message, "process "+strconv.Itoa(s.Process.PID()))
	require.Contains(t, message, "--data-dir")
	s.createLevel(t, newLevel("undisturbed", 1))

	// Once the first has ended, by whatever means, the directory is free.
	s.Kill(t)
	next := siteOf(t, harness.StartServer(t, harness.ServerOptions{DataDir: s.DataDir}), nil)
	_, err := next.levels().Get(t.Context(), "undisturbed", metav1.GetOptions{})
	require.NoError(t, err)
}
