package monitoring

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/apiserver/pkg/authentication/authenticatorfactory"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	authentication "k8s.io/client-go/kubernetes/typed/authentication/v1"
	"k8s.io/client-go/rest"
	"k8s.io/component-base/metrics/legacyregistry"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/exposition"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/kubeapiserver"
)

// TestEveryMetricIsExposed compares rules and dashboard with what a server exposes, and, of
// families without series on a server at rest that runs alone, with what it registers.
func TestEveryMetricIsExposed(t *testing.T) {
	exposed := scraped(t)
	for _, name := range registered(t) {
		exposed[name] = true
	}
	for _, name := range unique(append(ruleMetrics(t), dashboardMetrics(t)...)) {
		assert.True(t, exposed[name], "%s is not exposed", name)
	}
}

// scraped returns the names of the families of a running server.
func scraped(t *testing.T) map[string]bool {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	config := server.NewConfig()
	config.DataDir = filepath.Join(t.TempDir(), "data")
	config.SecureServing.Listener = listener
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	running, err := server.New(ctx, config.Complete())
	require.NoError(t, err)
	defer running.Close()
	ended := make(chan error, 1)
	go func() {
		defer stop() // or a failed server would be waited for
		ended <- running.Run(ctx)
	}()
	require.NoError(t, running.WaitReady(ctx))
	loopback := running.LoopbackClientConfig()
	client, err := rest.HTTPClientFor(loopback)
	require.NoError(t, err)
	names := map[string]bool{}
	eventually.Holds(t, "metrics are served", func(a *eventually.Attempt) {
		request, err := http.NewRequestWithContext(a.Context(), http.MethodGet, loopback.Host+"/metrics", nil)
		require.NoError(a, err)
		response, err := client.Do(request)
		require.NoError(a, err)
		defer func() { _ = response.Body.Close() }()
		families, err := exposition.Parse(response.Body)
		require.NoError(a, err)
		for name := range families {
			names[name] = true
		}
	})
	stop()
	require.NoError(t, <-ended)
	return names
}

// registered returns the names of the families of the library, of the engine, of the
// monitor of a kube-apiserver in front, and of etcd.
func registered(t *testing.T) []string {
	t.Helper()
	authorizerfactory.RegisterMetrics()
	server := &rest.Config{Host: "127.0.0.1:1"}
	tokens, err := authentication.NewForConfig(server)
	require.NoError(t, err)
	// Later releases register metrics of tokens with the first reader of them.
	_, _, err = authenticatorfactory.DelegatingAuthenticatorConfig{TokenAccessReviewClient: tokens, WebhookRetryBackoff: &wait.Backoff{}}.New()
	require.NoError(t, err)
	monitor, err := kubeapiserver.New(kubeapiserver.Config{Authentication: server, Authorization: server, Clock: clock.RealClock{}, Log: logr.Discard()})
	require.NoError(t, err)
	library, ok := legacyregistry.Registerer().(prometheus.Collector)
	require.True(t, ok)
	flowControl, err := apf.New(apf.Config{Total: 1})
	require.NoError(t, err)
	var names []string
	// Series of an etcd process, which the library of the same release registers.
	etcd, err := prometheus.DefaultGatherer.Gather()
	require.NoError(t, err)
	for _, family := range etcd {
		names = append(names, family.GetName())
	}
	for _, collector := range []prometheus.Collector{library, flowControl.Registry(), monitor.Metrics()} {
		names = append(names, described(collector)...)
	}
	return names
}

func described(collector prometheus.Collector) (names []string) {
	descs := make(chan *prometheus.Desc)
	go func() {
		defer close(descs)
		collector.Describe(descs)
	}()
	for desc := range descs {
		if match := regexp.MustCompile(`fqName: "([^"]+)"`).FindStringSubmatch(desc.String()); match != nil {
			names = append(names, match[1])
		}
	}
	return names
}
