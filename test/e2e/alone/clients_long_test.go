//go:build long

package alone

import (
	"context"
	"fmt"
	"os"
	"os/exec"
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
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

// patience is how long a client may take.
const patience = 2 * time.Minute

// clientsSite is a server alone and what the tests know of it.
type clientsSite struct {
	*harness.Server
	client dynamic.Interface
}

// client is a client that is tried.
type client struct {
	// name is a subtest, and the objects that the client writes.
	name string
	// title and how are its cells in the table.
	title, how string
	// run uses the client, which must change objects of its name as follow requires.
	run runFunc
	// apart is set for clients that write nothing, or follow what they write themselves.
	apart bool
}

type runFunc func(t *testing.T, s *clientsSite, name string) outcome

// clients returns the rows of the table.
func clients() []client {
	var all []client
	for _, minor := range []int{20, 24, 29, 33, 37} {
		all = append(all, client{name: fmt.Sprintf("kubectl-1.%d", minor), title: "kubectl", how: "built from its module", run: kubectl(minor), apart: true})
	}
	return append(all,
		client{name: "helm", title: "Helm", how: "built from its module", run: helm},
		client{name: "argo-cd", title: "Argo CD", how: "its engine, `gitops-engine`, in a program", run: library("github.com/argoproj/argo-cd/gitops-engine")},
		client{name: "flux", title: "Flux", how: "its library, `fluxcd/pkg/ssa`, in a program", run: library("github.com/fluxcd/pkg/ssa")},
		client{name: "controller-runtime", title: "controller-runtime", how: "in a program", run: library("sigs.k8s.io/controller-runtime")},
		client{name: "prometheus", title: "Prometheus", how: "built from its module", run: prometheus, apart: true},
	)
}

// TestClients starts one server. Each client writes objects of its own name. What they show
// is the table of docs/clients.md.
func TestClients(t *testing.T) {
	server := harness.StartServer(t, harness.ServerOptions{})
	client, err := dynamic.NewForConfig(server.Config(t))
	require.NoError(t, err)
	s := &clientsSite{server, client}
	var results []result
	for _, c := range clients() {
		t.Run(c.name, func(t *testing.T) {
			check := func(*testing.T) {}
			if !c.apart {
				check = s.follow(t, c.name)
			}
			shown := c.run(t, s, c.name)
			check(t)
			results = append(results, result{c, shown})
		})
	}
	if !t.Failed() && len(results) == len(clients()) { // -run may leave some out
		tour.Part(t, "docs/clients.md", "clients", table(results), *updateDocs)
	}
}

// follow watches the objects of a name. The function that it returns requires the changes
// that every client makes.
func (s *clientsSite) follow(t *testing.T, name string) func(*testing.T) {
	t.Helper()
	schemas := s.watch(t, "flowschemas", name)
	levels := s.watch(t, "prioritylevelconfigurations", name)
	return func(t *testing.T) {
		t.Helper()
		require.Equal(t, []string{"500", "600", "700", "deleted"}, history(t, schemas, "matchingPrecedence"))
		require.Equal(t, []string{"1", "deleted"}, history(t, levels, "limited", "nominalConcurrencyShares"))
	}
}

// resource returns the objects of a kind.
func (s *clientsSite) resource(resource string) dynamic.ResourceInterface {
	return s.client.Resource(schema.GroupVersionResource{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Resource: resource})
}

// watch watches the object of the name.
func (s *clientsSite) watch(t *testing.T, resource, name string) watch.Interface {
	t.Helper()
	changes, err := s.resource(resource).Watch(t.Context(), metav1.ListOptions{FieldSelector: "metadata.name=" + name})
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

// library is a client that is a program of hack/tools/clients, of the module's version.
func library(module string) runFunc {
	return func(t *testing.T, s *clientsSite, name string) outcome {
		t.Helper()
		path, err := binaries.Client(t.Context(), name)
		require.NoError(t, err)
		output, err := s.run(t, path, name)
		require.NoError(t, err, "%s\n%s", path, output)
		o := told(output)
		o.version = moduleVersion(t, path, module)
		return o
	}
}

// run runs a client, with a HOME of its own.
func (s *clientsSite) run(t *testing.T, program string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	command := exec.CommandContext(ctx, program, args...)
	command.Env = append(os.Environ(), "KUBECONFIG="+s.Kubeconfig, "HOME="+t.TempDir())
	output, err := command.CombinedOutput()
	return string(output), err
}
