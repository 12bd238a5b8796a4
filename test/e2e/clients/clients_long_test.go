//go:build long

package clients

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// patience is how long a client may take: a playbook starts Python for each of its tasks.
const patience = 5 * time.Minute

// site is a server alone and what the tests know of it.
type site struct {
	*harness.Server
	client dynamic.Interface
}

// TestClients starts one server. Each client writes objects of its own name.
func TestClients(t *testing.T) {
	server := harness.StartServer(t, harness.ServerOptions{})
	client, err := dynamic.NewForConfig(server.Config(t))
	require.NoError(t, err)
	s := &site{server, client}
	for name, run := range map[string]func(*testing.T, *site, string){
		"dynamic": func(t *testing.T, s *site, name string) { s.run(t, library(t, "dynamic"), name) },
		"python":  func(t *testing.T, s *site, name string) { s.run(t, "/usr/bin/python3", "testdata/client.py", name) },
		"ruby":    func(t *testing.T, s *site, name string) { s.run(t, "/usr/bin/ruby", "testdata/client.rb", name) },
		"ansible": func(t *testing.T, s *site, name string) {
			s.run(t, "ansible-playbook", "--extra-vars=name="+name, "testdata/playbook.yaml")
		},
		"kubectl": testKubectl,
	} {
		t.Run(name, func(t *testing.T) {
			changes := s.watch(t, "flowschemas", name)
			levels := s.watch(t, "prioritylevelconfigurations", name)
			run(t, s, name)
			require.Equal(t, []string{"500", "600", "700", "deleted"}, history(t, changes, "matchingPrecedence"))
			require.Equal(t, []string{"1", "deleted"}, history(t, levels, "limited", "nominalConcurrencyShares"))
		})
	}
}

// library builds a client of hack/tools/clients/libraries.
func library(t *testing.T, name string) string {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), name)
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-pgo=off", "-ldflags=-s -w",
		"-tags=remove_all_sd,enable_kubernetes_sd", "-o", path, "./"+name)
	build.Dir = filepath.Join(root, "hack", "tools", "clients", "libraries")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	output, err := build.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return path
}

// run runs a client that must succeed.
func (s *site) run(t *testing.T, program string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig, "HOME="+t.TempDir())
	output, err := command.CombinedOutput()
	require.NoError(t, err, "%s: install what docs/clients.md names, if it is missing\n%s", program, output)
}

// watch watches the object of the name.
func (s *site) watch(t *testing.T, resource, name string) watch.Interface {
	t.Helper()
	group := schema.GroupVersionResource{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: resource}
	changes, err := s.client.Resource(group).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
	require.NoError(t, err)
	t.Cleanup(changes.Stop)
	return changes
}

// history returns the values that a field of the specification had, until the deletion.
// This server's own changes of the status are none of them.
func history(t *testing.T, changes watch.Interface, field ...string) []string {
	t.Helper()
	deadline := time.After(patience)
	var values []string
	for {
		select {
		case event, open := <-changes.ResultChan():
			require.True(t, open, "the watch ended after %v", values)
			if event.Type == watch.Deleted {
				return append(values, "deleted")
			}
			object, ok := event.Object.(*unstructured.Unstructured)
			require.True(t, ok, "%v", event)
			value, _, err := unstructured.NestedInt64(object.Object, append([]string{"spec"}, field...)...)
			require.NoError(t, err)
			if next := fmt.Sprint(value); len(values) == 0 || values[len(values)-1] != next {
				values = append(values, next)
			}
		case <-deadline:
			t.Fatalf("no deletion followed %v", values)
		}
	}
}

// testKubectl is the kubectl of the product's release of Kubernetes.
func testKubectl(t *testing.T, s *site, name string) {
	kubectl := s.Kubectl(t)
	manifest, err := os.ReadFile(filepath.Join("testdata", "objects.yaml"))
	require.NoError(t, err)
	at := func(precedence string) string {
		return strings.NewReplacer("NAME", name, "PRECEDENCE", precedence).Replace(string(manifest))
	}
	kubectl.RunInput(t, at("500"), "create", "-f", "-")
	kubectl.Run(t, "patch", "flowschema", name, "--type=merge", `--patch={"spec":{"matchingPrecedence":600}}`)
	kubectl.RunInput(t, at("700"), "apply", "--server-side", "--force-conflicts", "-f", "-")
	require.Contains(t, kubectl.Run(t, "get", "flowschemas", "-l", "client="+name), "700")

	// Without the allow list, kubectl prunes what it knows of the core and of apps, which
	// this server does not serve.
	prune := []string{"apply", "--prune", "--selector=client=" + name, "-f", "-"}
	require.NotZero(t, kubectl.Try(t, at("700"), prune...).ExitCode)
	allowed := append(prune, "--prune-allowlist=flowcontrol.apiserver.k8s.io/v1/FlowSchema",
		"--prune-allowlist=flowcontrol.apiserver.k8s.io/v1/PriorityLevelConfiguration")
	kubectl.RunInput(t, at("700"), allowed...)
	kubectl.RunInput(t, at("700"), "delete", "-f", "-")
}
