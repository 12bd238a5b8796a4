package alone

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const teamSchema = `{"apiVersion": "flowcontrol.apiserver.k8s.io/v1", "kind": "FlowSchema", "metadata": {"name": "NAME"},
	"spec": {"priorityLevelConfiguration": {"name": "workload-low"}, "matchingPrecedence": 5000}}`

// TestExampleConfigurationDoesWhatItSays runs the server with the files of
// artifacts/configuration.
func TestExampleConfigurationDoesWhatItSays(t *testing.T) {
	t.Parallel()
	dir := exampleConfiguration(t)
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	server := harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: exampleFlags(t, dir)})
	kubectl := server.Kubectl(t)
	for _, name := range []string{"team-a", "team-b"} {
		kubectl.RunInput(t, strings.ReplaceAll(teamSchema, "NAME", name), "create", "-f", "-")
	}

	ann := func(method, path, body string) int {
		t.Helper()
		return send(t, anonymousClient(), method, server.URL+path, body,
			"Authorization: Bearer secret", "Content-Type: application/merge-patch+json").Code
	}
	require.Equal(t, http.StatusOK, ann(http.MethodGet, v1Path+"/flowschemas", ""))
	require.Equal(t, http.StatusOK, ann(http.MethodGet, "/debug/api_priority_and_fairness/dump_priority_levels", ""))
	require.Equal(t, http.StatusOK, ann(http.MethodPatch, v1Path+"/flowschemas/team-a", `{"spec": {"matchingPrecedence": 5001}}`))
	require.Equal(t, http.StatusForbidden, ann(http.MethodPatch, v1Path+"/flowschemas/team-b", `{"spec": {"matchingPrecedence": 5001}}`))
	require.Equal(t, http.StatusForbidden, ann(http.MethodDelete, v1Path+"/flowschemas/team-a", ""))

	stored, err := etcd.Client(t).Get(t.Context(), "/", clientv3.WithPrefix())
	require.NoError(t, err)
	encrypted := 0
	for _, pair := range stored.Kvs {
		if strings.Contains(string(pair.Key), "/flowschemas/") {
			require.True(t, strings.HasPrefix(string(pair.Value), "k8s:enc:secretbox:v1:key1:"), "%s", pair.Key)
			encrypted++
		}
	}
	require.Greater(t, encrypted, 2)

	eventually.Holds(t, "ann's change is in the audit log", func(a *eventually.Attempt) {
		log, err := os.ReadFile(filepath.Join(dir, "audit.log"))
		require.NoError(a, err)
		var changes []string
		for line := range strings.Lines(string(log)) {
			var event struct {
				Verb        string
				User        struct{ Username string }
				ObjectRef   struct{ Name string }
				RequestURI  string
				Annotations map[string]string
			}
			require.NoError(a, json.Unmarshal([]byte(line), &event))
			require.NotContains(a, event.RequestURI, "/livez")
			if event.User.Username == "ann" && event.Verb == "patch" {
				changes = append(changes, event.ObjectRef.Name+" "+event.Annotations["authorization.k8s.io/decision"])
			}
		}
		require.Equal(a, []string{"team-a allow", "team-b forbid"}, changes)
	})
	for line := range strings.Lines(server.Process.Output()) {
		if strings.HasPrefix(line, "Ready on ") || strings.HasPrefix(line, "  export KUBECONFIG=") || strings.HasPrefix(line, "  kubectl get ") {
			continue // for people
		}
		require.True(t, json.Valid([]byte(line)), line)
	}
}

// exampleFlags returns the flags of the example as a shell reads them, with absolute paths.
func exampleFlags(t *testing.T, dir string) []string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", `. "$0" && printf '%s\n' $ARGS`, filepath.Join(dir, "flags.env")).Output()
	require.NoError(t, err)
	flags := strings.Fields(string(out))
	require.Greater(t, len(flags), 10)
	for i, flag := range flags {
		if name, value, _ := strings.Cut(flag, "="); strings.Contains(value, ".") {
			flags[i] = name + "=" + filepath.Join(dir, value)
		}
	}
	return flags
}

// exampleConfiguration returns a copy of the files with secrets in place of the words that
// ask for them.
func exampleConfiguration(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, os.CopyFS(dir, os.DirFS(harness.Path(t, "artifacts/configuration"))))
	replace := func(name string, pairs ...string) {
		t.Helper()
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		replaced := strings.NewReplacer(pairs...).Replace(string(content))
		require.NotEqual(t, string(content), replaced)
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(replaced), 0o600))
	}
	replace("tokens.csv", "REPLACE-WITH-A-RANDOM-TOKEN", "secret")
	replace("encryption.yaml", "REPLACE-WITH-32-RANDOM-BYTES-IN-BASE64", "MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=")
	return dir
}
