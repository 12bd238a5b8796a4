//go:build long

package judges

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// judge is the name, token and group of the user whom judges are. Both servers give them the
	// level global-default.
	judge   = "judge"
	schemas = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
)

// permissions let the judge do everything with flow schemas.
const permissions = `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: judge}
rules: [{apiGroups: [flowcontrol.apiserver.k8s.io], resources: [flowschemas], verbs: ["*"]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: judge}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: judge}
subjects: [{apiGroup: rbac.authorization.k8s.io, kind: Group, name: judge}]
`

// server is a server that is judged.
type server struct {
	name, url string
	ca        string       // file of the authority of its certificate
	client    harness.Pair // the judge's certificate
}

// start starts this project's server, as it is released, and kube-apiserver, each on an etcd of
// its own. Both know the judge.
func start(t *testing.T) []server {
	t.Helper()
	dir := t.TempDir()
	rbac, tokens := filepath.Join(dir, "rbac.yaml"), traffic.Tokens(t, []traffic.Person{traffic.Admin(), {Name: judge, Group: judge}})
	require.NoError(t, os.WriteFile(rbac, []byte(permissions), 0o600))
	theirs := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{
		Etcd: harness.StartEtcd(t, harness.EtcdOptions{}), Args: []string{tokens},
	})
	theirs.Kubectl(t).Run(t, "apply", "-f", rbac)
	ours := harness.StartServer(t, harness.ServerOptions{
		Program: harness.Program(t, binaries.Release), Etcd: harness.StartEtcd(t, harness.EtcdOptions{}),
		Args: []string{tokens, "--authorization-rbac-file=" + rbac, "--client-ca-file=" + theirs.ClientCA.CertFile},
	})
	pair := theirs.ClientCA.Client(t, judge, judge)
	return []server{newServer(t, "this server", &ours.APIServer, pair), newServer(t, "kube-apiserver", &theirs.APIServer, pair)}
}

func newServer(t *testing.T, name string, api *harness.APIServer, pair harness.Pair) server {
	t.Helper()
	s := server{name: name, url: api.URL, ca: filepath.Join(t.TempDir(), "ca.crt"), client: pair}
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
