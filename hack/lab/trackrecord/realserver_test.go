package trackrecord

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/scrape"
)

// configure applies the objects of a setup, and waits until the engine of the server knows
// the flow schemas.
func configure(t *testing.T, s *harness.APIServer, setup Setup) {
	t.Helper()
	result := tryToConfigure(t, s, setup)
	require.Zero(t, result.ExitCode, result.Stderr)
}

// tryToConfigure is configure on a server that may end meanwhile.
func tryToConfigure(t *testing.T, s *harness.APIServer, setup Setup) harness.Result {
	t.Helper()
	var manifests bytes.Buffer
	add := func(o runtime.Object, kind string) {
		o.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{Group: "flowcontrol.apiserver.k8s.io", Version: "v1", Kind: kind})
		accessor, err := meta.Accessor(o)
		require.NoError(t, err)
		accessor.SetUID("")
		text, err := yaml.Marshal(o)
		require.NoError(t, err)
		manifests.WriteString("---\n")
		manifests.Write(text)
	}
	for _, level := range setup.Levels {
		add(level.DeepCopy(), "PriorityLevelConfiguration")
	}
	args := []string{"wait", "--for=condition=Dangling=False"}
	for _, one := range setup.Schemas {
		add(one.DeepCopy(), "FlowSchema")
		args = append(args, "flowschema/"+one.Name)
	}
	kubectl := s.Kubectl(t)
	if result := kubectl.Try(t, manifests.String(), "apply", "-f", "-"); result.ExitCode != 0 {
		return result
	}
	return kubectl.Try(t, "", args...)
}

// statuses sends n requests of a user, one after the other, and counts the answers.
func statuses(t *testing.T, s *harness.APIServer, user, path string, n int) map[int]int {
	t.Helper()
	client := clientOf(t, s, user)
	found := map[int]int{}
	for range n {
		reply, err := harness.Send(t.Context(), client, http.MethodGet, s.URL+path, "")
		require.NoError(t, err)
		found[reply.Code]++
	}
	return found
}

// gauges waits until the server has series of a family, and returns them by level.
func gauges(t *testing.T, s *harness.APIServer, family string) scrape.Scrape {
	t.Helper()
	client := clientOf(t, s, "")
	var series scrape.Scrape
	eventually.Holds(t, "the server divides its seats", func(a *eventually.Attempt) {
		reply, err := harness.Send(a.Context(), client, http.MethodGet, s.URL+"/metrics", "")
		require.NoError(a, err)
		series, err = scrape.Parse(reply.Body, family)
		require.NoError(a, err)
		require.NotEmpty(a, series)
	})
	return series
}

// clientOf returns the client of a user, or of the administrator.
func clientOf(t *testing.T, s *harness.APIServer, user string) *http.Client {
	t.Helper()
	config := s.Config(t)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return client
}

// watches starts n watches of the administrator, which last until stop is called.
func watches(t *testing.T, s *harness.APIServer, path string, n int) (stop func()) {
	t.Helper()
	client := clientOf(t, s, "")
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan error, n)
	var watching sync.WaitGroup
	for range n {
		watching.Go(func() { watch(ctx, client, s.URL+path, started) })
	}
	for range n {
		require.NoError(t, <-started)
	}
	return func() {
		cancel()
		watching.Wait()
	}
}

// watch reports to started that it has begun, or why it has not, and lasts until ctx ends.
func watch(ctx context.Context, client *http.Client, url string, started chan<- error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		started <- err
		return
	}
	answer, err := client.Do(request)
	if err != nil {
		started <- err
		return
	}
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("a watch is answered %s", answer.Status)
	}
	started <- err
	_, _ = io.Copy(io.Discard, answer.Body)
}

// writes starts workers that send writes of a user without pause. stop returns an error if
// the server is gone.
func writes(t *testing.T, s *harness.APIServer, user, path string, workers int) (stop func() error) {
	t.Helper()
	client := clientOf(t, s, user)
	ctx, cancel := context.WithCancel(t.Context())
	group, _ := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error {
			for ctx.Err() == nil {
				if _, err := harness.Send(t.Context(), client, http.MethodPut, s.URL+path, "{}"); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return func() error {
		cancel()
		return group.Wait()
	}
}

// panicOf returns the line of the log of a server with its panic.
func panicOf(s *harness.APIServer) string {
	for line := range strings.Lines(s.Process.Output()) {
		if strings.HasPrefix(line, "panic: ") {
			return strings.TrimSpace(line)
		}
	}
	return "its log has no panic"
}
