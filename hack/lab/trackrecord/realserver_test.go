package trackrecord

import (
	"bytes"
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
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

// targetOf returns a server whose administrator sends requests, or impersonates who does.
func targetOf(t *testing.T, s *harness.APIServer) *traffic.Target {
	t.Helper()
	target, err := traffic.TargetOf(s.Config(t))
	require.NoError(t, err)
	t.Cleanup(target.Close)
	return target
}

// gauges waits until the server has series of a family, and returns them by level.
func gauges(t *testing.T, s *harness.APIServer, family string) scrape.Scrape {
	t.Helper()
	target := targetOf(t, s)
	var series scrape.Scrape
	eventually.Holds(t, "the server divides its seats", func(a *eventually.Attempt) {
		_, _, body, err := target.Do(a.Context(), traffic.User{}, traffic.Request{Path: "/metrics"})
		require.NoError(a, err)
		series, err = scrape.Parse(string(body), family)
		require.NoError(a, err)
		require.NotEmpty(a, series)
	})
	return series
}

// start starts the clients of a flow. stop returns an error if the server is gone.
func start(t *testing.T, s *harness.APIServer, flow traffic.Flow) (stop func() error) {
	t.Helper()
	target := targetOf(t, s)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		samples, err := traffic.Load{Flows: []traffic.Flow{flow}}.Run(ctx, target)
		for _, sample := range samples {
			if err == nil {
				err = sample.Err
			}
		}
		ended <- err
	}()
	return func() error {
		cancel()
		return <-ended
	}
}

// watches starts n watches of the administrator, which last until stop is called.
func watches(t *testing.T, s *harness.APIServer, path string, n int) (stop func()) {
	t.Helper()
	const running = "apiserver_longrunning_requests"
	before := gauges(t, s, running).Sum(running, `verb="WATCH"`)
	end := start(t, s, traffic.Flow{Users: []traffic.User{{}}, Threads: n, Count: 1, Ask: traffic.Get(path)})
	eventually.Holds(t, "the watches have begun", func(a *eventually.Attempt) {
		require.GreaterOrEqual(a, gauges(t, s, running).Sum(running, `verb="WATCH"`), before+float64(n))
	})
	return func() { _ = end() } // the server may be gone
}

// writes starts workers that send writes of a user without pause.
func writes(t *testing.T, s *harness.APIServer, user, path string, workers int) (stop func() error) {
	t.Helper()
	return start(t, s, traffic.Flow{
		Users: []traffic.User{{Name: user}}, Threads: workers, Rude: true,
		Ask: func(int) traffic.Request { return traffic.Request{Method: http.MethodPut, Path: path, Body: "{}"} },
	})
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
