package behind

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const (
	// basePath is the path of the version that this server serves.
	basePath    = "/apis/" + group + "/v1beta3"
	objectsPath = basePath + "/flowschemas"
	// proxyName is the only name that the front proxy's certificate may have.
	proxyName = "front-proxy-client"
)

// besideSite is a cluster where this server serves v1beta3.
type besideSite struct {
	*site
	// clientCA signs certificates of users, proxyCA the front proxy's.
	clientCA, proxyCA *harness.CA

	operatorPair harness.Pair // of system:masters
}

func TestBesideKubeAPIServer(t *testing.T) {
	s := startSite(t, cluster.Options{})
	t.Run("the first start goes by the probes", func(t *testing.T) { testFirstStart(t, s) })
	t.Run("the cluster decides who may do what", func(t *testing.T) { testDelegatedRequests(t, s) })
	t.Run("reviews do not wait behind the requests that wait for them", func(t *testing.T) { testReviews(t, s) })
	t.Run("users notice nothing while the CA of the serving certificates is replaced", s.underLoad(testReplacedCA))
	overlay := harness.Path(t, "artifacts/overlays/v1beta3-beside")
	s.MakeCertificates(t, "serving")
	t.Run("users notice nothing while all pods are replaced and get a certificate in files", s.underLoad(testRollout(withFiles(t, overlay))))
	t.Run("users notice nothing while all pods are replaced and issue their certificate", s.underLoad(testRollout(overlay)))
}

// startSite starts the cluster. Its kube-apiserver has more seats than this
// server, so requests that hold all of its seats queue here.
func startSite(t *testing.T, options cluster.Options) *besideSite {
	t.Helper()
	s := &besideSite{clientCA: harness.NewCA(t, "users"), proxyCA: harness.NewCA(t, "front-proxy")}
	clientCAFile := filepath.Join(t.TempDir(), "client-ca.crt")
	replace(t, clientCAFile, s.clientCA.CertFile)
	proxy := s.proxyCA.Client(t, proxyName)
	options.Topology = cluster.Beside
	options.KubeAPIServerArgs = []string{
		"--requestheader-uid-headers=X-Remote-Uid",
		"--max-requests-inflight=1200",
		"--client-ca-file=" + clientCAFile,
		"--requestheader-client-ca-file=" + s.proxyCA.CertFile,
		"--proxy-client-cert-file=" + proxy.CertFile,
		"--proxy-client-key-file=" + proxy.KeyFile,
	}
	c := cluster.Start(t, options)
	s.site = siteOf(t, c, "v1beta3")
	s.operatorPair = s.clientCA.Client(t, "operator", "system:masters")
	// kube-controller-manager signs certificates of users with the cluster's CA.
	replace(t, clientCAFile, s.clientCA.CertFile, s.KubeAPIServer.ClientCA.CertFile)
	return s
}

// testFirstStart must run first.
func testFirstStart(t *testing.T, s *besideSite) {
	for _, pod := range s.Servers(t, replicas) {
		require.Zero(t, pod.Restarts(), "the probes waited for the start of %s", pod.Name())
	}
	require.NotContains(t, s.kubectl.Run(t, "-n", cluster.Namespace, "get", "deployment", cluster.Deployment, "-o", "yaml"), "- --goaway-chance",
		"a connection that is told to go fails the write that is on its way")
}

// way is one of the two routes to the server.
type way struct {
	name string
	// config uses this route, without credentials.
	config *rest.Config
}

func (s *besideSite) aggregated(t *testing.T) way {
	t.Helper()
	return way{"through the aggregator", rest.AnonymousClientConfig(s.Config(t))}
}

// directly returns the route to the first pod.
func (s *besideSite) directly(t *testing.T) way {
	t.Helper()
	return s.to(t, s.Servers(t, replicas)[0])
}

func (s *besideSite) to(t *testing.T, pod *cluster.Pod) way {
	t.Helper()
	return way{"directly", s.Direct(t, pod)}
}

func (s *besideSite) ways(t *testing.T) []way {
	t.Helper()
	return []way{s.aggregated(t), s.directly(t)}
}

// as returns a client configuration of the route with credentials.
func (w way) as(credentials ...credential) *rest.Config {
	config := rest.CopyConfig(w.config)
	config.QPS = -1
	for _, c := range credentials {
		c(config)
	}
	return config
}

// send sends one request that must be answered.
func send(t tester, config *rest.Config, method, path, body string) harness.Reply {
	t.Helper()
	reply, err := trySend(t.Context(), config, method, path, body)
	require.NoError(t, err, "%s %s", method, path)
	return reply
}

// trySend sends one request. Headers have the form "Name: value".
func trySend(ctx context.Context, config *rest.Config, method, path, body string, headers ...string) (harness.Reply, error) {
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return harness.Reply{}, err
	}
	return harness.Send(ctx, client, method, config.Host+path, body, headers...)
}
