package command

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/explain"
)

// TestMain lets this program also be kubectl, on the PATH.
func TestMain(m *testing.M) {
	if filepath.Base(os.Args[0]) == "kubectl" {
		os.Exit(fakeKubectl(os.Args[1:]))
	}
	os.Exit(testWithKubectl(m))
}

func testWithKubectl(m *testing.M) int {
	own, err := os.Executable()
	if err == nil {
		var folder string
		if folder, err = os.MkdirTemp("", "path"); err == nil {
			defer func() { _ = os.RemoveAll(folder) }()
			err = os.Symlink(own, filepath.Join(folder, "kubectl"))
			_ = os.Setenv("PATH", folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// fakeKubectl gets pods in the namespace of its kubeconfig, or of -n, as the user of --as.
func fakeKubectl(args []string) int {
	if args[0] == "unknown" {
		fmt.Fprintln(os.Stderr, "error: unknown command")
		return 1
	}
	text, err := os.ReadFile(os.Getenv("KUBECONFIG"))
	var config struct {
		Clusters []struct{ Cluster struct{ Server string } }
		Contexts []struct{ Context struct{ Namespace string } }
	}
	if err == nil {
		err = json.Unmarshal(text, &config)
	}
	if err != nil {
		return 2
	}
	namespace := config.Contexts[0].Context.Namespace
	request, err := http.NewRequest(http.MethodGet, config.Clusters[0].Cluster.Server+"/api/v1/namespaces/"+namespace+"/pods?limit=500", http.NoBody)
	if err != nil {
		return 2
	}
	for _, arg := range args {
		if user, found := strings.CutPrefix(arg, "--as="); found {
			request.Header.Set("Impersonate-User", user)
		}
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return 2
	}
	_ = response.Body.Close()
	return response.StatusCode/100 - 2
}

func TestTheRequestsOfAKubectlCommandAreExplained(t *testing.T) {
	server := newAPIServer(t)
	for name, c := range map[string]struct {
		before, after         []string
		user, namespace, when string
	}{
		"the user and the namespace are the kubeconfig's": {nil, nil, "alice", "shop", "again for every further 500 objects"},
		"they are those before the dashes":                {[]string{"--as=bob", "-n", "other"}, nil, "bob", "other", "again for every further 500 objects"},
		"the user is the one that kubectl impersonates":   {[]string{"--as=bob"}, []string{"--as=eve"}, "eve", "shop", "again for every further 500 objects"},
	} {
		t.Run(name, func(t *testing.T) {
			line := append([]string{"explain", "-o", "json", "--kubeconfig=" + server.kubeconfig}, c.before...)
			got := run(t, append(append(line, "--", "kubectl", "get", "pods"), c.after...)...)
			require.Zero(t, got.status, got.errOut)
			var answer explain.CommandAnswer
			require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
			require.Len(t, answer.Requests, 1)
			row := answer.Requests[0]
			assert.Equal(t, c.when, row.When)
			assert.Equal(t, "list", row.Answer.Request.Verb)
			assert.Equal(t, c.user, row.Answer.Request.User)
			assert.Equal(t, c.namespace, row.Answer.Request.Namespace)
			assert.Equal(t, "GET /api/v1/namespaces/"+c.namespace+"/pods?limit=500", row.Request)
		})
	}
}

// TestAnObjectIsNoSubresource: the pod web-1 was mistaken for a subresource, and the request for
// one of global-default.
func TestAnObjectIsNoSubresource(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "pods-only.yaml", strings.NewReplacer("workload-low", "workload-high", `resources: ["*"]`, "resources: [pods]").Replace(flowSchema))
	for _, words := range []string{"get pods/web-1", "get pods web-1", "get --raw=/api/v1/namespaces/shop/pods/web-1"} {
		got := run(t, append([]string{"explain", "--as=robot", "--offline", "--release=1.33", "-f", "pods-only.yaml", "-o", "json", "-n", "shop"}, strings.Fields(words)...)...)
		require.Zero(t, got.status, got.errOut)
		var answer explain.Answer
		require.NoError(t, json.Unmarshal([]byte(got.out), &answer))
		assert.Equal(t, "workload-high", answer.PriorityLevel.Name, words)
		assert.Equal(t, "web-1", answer.Request.Name, words)
		assert.Empty(t, answer.Request.Subresource, words)
	}
}

func TestFlagsOfKubectlSayWhereToLook(t *testing.T) {
	server := newAPIServer(t)
	got := run(t, "explain", "--", "kubectl", "get", "pods", "--kubeconfig", server.kubeconfig, "-o", "yaml", "--context=x")
	require.Zero(t, got.status, got.errOut)
	assert.Contains(t, got.out, "list pods -n shop")
	got = run(t, "explain", "--", "kubectl", "get", "pods", "--kubeconfig="+server.kubeconfig, "--context=unknown")
	assert.Equal(t, statusFailed, got.status)
	assert.Contains(t, got.errOut, "unknown")
}

func TestACommandWithoutRequestsSaysSo(t *testing.T) {
	got := run(t, "explain", "--offline", "--as=bob", "--", "kubectl", "config", "view")
	require.Zero(t, got.status, got.errOut)
	assert.Contains(t, got.out, "kubectl config view sends no requests.\n")
}

func TestWhatIsNoKubectlCommandIsRejected(t *testing.T) {
	for line, want := range map[string]string{
		"-- get pods":                 "after -- must come kubectl",
		"-- kubectl":                  "after -- must come kubectl",
		"get -- kubectl get pods":     "exclude each other",
		"kubectl get pods":            "-- must come before kubectl",
		"-A -l a=b -- kubectl get po": "--all-namespaces, --selector must come after --",
		"-- kubectl -n shop proxy":    "requests of its clients",
		"-- kubectl cluster-info dump --output-directory=here": "must be left out",
		"-- kubectl unknown":        "kubectl rejects the command: error: unknown command",
		"-- /none/kubectl get pods": "/none/kubectl",
		"get -f pods.yaml":          "kubectl apf explain -- kubectl get -f FILE",
		"apply deploy/web":          "kubectl apf explain -- kubectl apply",
	} {
		t.Run(line, func(t *testing.T) {
			got := run(t, append([]string{"explain", "--offline", "--as=bob"}, strings.Fields(line)...)...)
			assert.Equal(t, statusFailed, got.status)
			assert.Contains(t, got.errOut, want)
		})
	}
}

func TestResourcesOfFilesAndArgumentsAreInferred(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "widgets.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}\n---\napiVersion: example.com/v1\nkind: Proxy\nmetadata: {name: b}\n")
	for line, want := range map[string][]string{
		"apply -f widgets.yaml": {"widgets.example.com", "proxies.example.com"},
		"apply -n x -f -":       {"gadgets.example.org"},
		"get gadgets.v2.example.org/a,widgets.example.com": {"gadgets.example.org"},
		"get deploy,ingresses.networking.k8s.io":           nil,
		"get unknown.networking.k8s.io":                    nil,
		"apply -f none.yaml":                               nil,
	} {
		lists, inferred := inferredBy(strings.Fields(line), []byte("apiVersion: example.org/v1\nkind: Gadget\nmetadata: {name: a}\n"))
		assert.Equal(t, want, inferred, line)
		seen := map[string]bool{}
		for _, list := range lists {
			assert.False(t, seen[list.GroupVersion], "%s: %s", line, list.GroupVersion)
			seen[list.GroupVersion] = true
		}
	}
}
