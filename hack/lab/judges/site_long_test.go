//go:build long

package judges

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// judge is the user whom judges are. Both servers give them the level global-default.
const judge = writer

// judged is a server with files for the programs that judge it.
type judged struct {
	name, url string
	ca        string       // file of the authority of its certificate
	client    harness.Pair // the judge's certificate
}

// startBoth starts this project's server, as it is released, and kube-apiserver, each on an etcd of
// its own. Both know the judge.
func startBoth(t *testing.T) []judged {
	t.Helper()
	theirs := startTheirs(t, harness.StartEtcd(t, harness.EtcdOptions{}))
	tokens, rbac := users(t)
	ours := harness.StartServer(t, harness.ServerOptions{
		Program: harness.Program(t, binaries.Release), Etcd: harness.StartEtcd(t, harness.EtcdOptions{}),
		Args: []string{tokens, "--authorization-rbac-file=" + rbac, "--client-ca-file=" + theirs.ClientCA.CertFile},
	})
	pair := theirs.ClientCA.Client(t, judge, judge)
	return []judged{newJudged(t, "this server", &ours.APIServer, pair), newJudged(t, "kube-apiserver", &theirs.APIServer, pair)}
}

func newJudged(t *testing.T, name string, api *harness.APIServer, pair harness.Pair) judged {
	t.Helper()
	s := judged{name: name, url: api.URL, ca: filepath.Join(t.TempDir(), "ca.crt"), client: pair}
	config := api.Config(t)
	content := config.CAData
	if len(content) == 0 {
		var err error
		content, err = os.ReadFile(config.CAFile)
		require.NoError(t, err)
	}
	require.NoError(t, os.WriteFile(s.ca, content, 0o600))
	return s
}

// installed returns the path of a program of a package of Debian.
func installed(t *testing.T, name, pkg string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	require.NoError(t, err, "there is no %s: install it, as in: apt-get install %s", name, pkg)
	return path
}

// run returns what a program prints. Its status does not count: judges that object end with an error.
func run(t *testing.T, path string, args ...string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), path, args...)
	command.Dir = t.TempDir()
	output, err := command.CombinedOutput()
	if err != nil {
		t.Logf("%s: %v", filepath.Base(path), err)
	}
	return string(output)
}

// startTheirs starts a kube-apiserver that knows the users.
func startTheirs(t harness.TB, etcd *harness.Etcd) *harness.KubeAPIServer {
	t.Helper()
	tokens, rights := users(t)
	k := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd, Args: []string{tokens, "-v=0"}})
	k.Kubectl(t).Run(t, "apply", "-f", rights)
	return k
}
