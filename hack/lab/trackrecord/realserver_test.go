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
	transport := transportOf(t, s, user)
	found := map[int]int{}
	for range n {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+path, nil)
		require.NoError(t, err)
		answer, err := transport.RoundTrip(request)
		require.NoError(t, err)
		require.NoError(t, answer.Body.Close())
		found[answer.StatusCode]++
	}
	return found
}

// gauges waits until the server has series of a family, and returns them by level.
func gauges(t *testing.T, s *harness.APIServer, family string) scrape.Scrape {
	t.Helper()
	transport := transportOf(t, s, "")
	var series scrape.Scrape
	eventually.Holds(t, "the server divides its seats", func(a *eventually.Attempt) {
		text, err := body(a.Context(), transport, s.URL+"/metrics")
		require.NoError(a, err)
		series, err = scrape.Parse(text, family)
		require.NoError(a, err)
		require.NotEmpty(a, series)
	})
	return series
}

// transportOf returns the transport of a user, or of the administrator.
func transportOf(t *testing.T, s *harness.APIServer, user string) http.RoundTripper {
	t.Helper()
	config := s.Config(t)
	config.Impersonate = rest.ImpersonationConfig{UserName: user}
	transport, err := rest.TransportFor(config)
	require.NoError(t, err)
	return transport
}

// watches starts n watches of the administrator, which last until stop is called.
func watches(t *testing.T, s *harness.APIServer, path string, n int) (stop func()) {
	t.Helper()
	transport := transportOf(t, s, "")
	ctx, cancel := context.WithCancel(t.Context())
	started := make(chan error, n)
	var watching sync.WaitGroup
	for range n {
		watching.Go(func() { watch(ctx, transport, s.URL+path, started) })
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
func watch(ctx context.Context, transport http.RoundTripper, url string, started chan<- error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		started <- err
		return
	}
	answer, err := transport.RoundTrip(request)
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
	transport := transportOf(t, s, user)
	ctx, cancel := context.WithCancel(t.Context())
	group, _ := errgroup.WithContext(ctx)
	for range workers {
		group.Go(func() error {
			for ctx.Err() == nil {
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPut, s.URL+path, strings.NewReader("{}"))
				if err != nil {
					return err
				}
				answer, err := transport.RoundTrip(request)
				if err != nil {
					return err
				}
				_ = answer.Body.Close()
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

// body returns the body of a response.
func body(ctx context.Context, transport http.RoundTripper, url string) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	return string(text), err
}
