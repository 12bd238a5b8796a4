package behind

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/described"
)

const (
	group    = "flowcontrol.apiserver.k8s.io"
	replicas = 3 // of the Deployment
)

// site is a cluster where this server is registered.
type site struct {
	*cluster.Cluster
	// owner is the test that owns all processes, including processes that a theme restarts.
	owner   *testing.T
	kubectl *harness.Kubectl
	dynamic dynamic.Interface
	http    *http.Client // of the administrator
	// ours lists the versions that this server serves. kube-apiserver serves the
	// other one, if any.
	ours []string
	// alice is the UID of the schema alices, once it exists.
	alice string
}

// theme is a test for a registration.
type theme struct {
	name string
	test func(*testing.T, *site)
}

func (s *site) run(t *testing.T, themes ...theme) {
	t.Helper()
	for _, theme := range themes {
		t.Run(theme.name, func(t *testing.T) { theme.test(t, s) })
	}
}

// everywhere returns the themes of every registration.
func everywhere() []theme {
	return []theme{
		{"discovery and OpenAPI have both versions", testDiscovery},
		{"kubectl does all it can do, in v1", func(t *testing.T, s *site) { t.Helper(); testKubectl(t, s, "v1", "v1beta3") }},
		{"kubectl does all it can do, in v1beta3", func(t *testing.T, s *site) { t.Helper(); testKubectl(t, s, "v1beta3", "v1") }},
		{"both servers may be started again, in any order, and write nothing", testRestarts},
	}
}

// survivor is a FlowSchema that exists from the start.
const survivor = "survivor"

func siteOf(t *testing.T, c *cluster.Cluster, ours ...string) *site {
	t.Helper()
	config := c.Config(t)
	config.WarningHandler = rest.NoWarnings{} // that v1beta3 is deprecated
	described.Judge(t, config)
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	objects, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	s := &site{Cluster: c, owner: t, kubectl: c.Kubectl(t), dynamic: objects, http: client, ours: ours}
	s.waitAvailable(t)
	s.kubectl.RunInput(t, manifest("v1", survivor), "apply", "-f", "-")
	return s
}

// startShared deploys the server beside the native v1, on the cluster's etcd.
func startShared(t *testing.T, options cluster.Options) *site {
	t.Helper()
	options.Topology = cluster.Beside
	return siteOf(t, cluster.Start(t, options), "v1beta3")
}

// takeV1 moves v1 to this server.
func (s *site) takeV1(t *testing.T) {
	t.Helper()
	s.Register(t, "v1")
	s.ours = []string{"v1", "v1beta3"}
	s.waitAvailable(t)
}

// waitAvailable waits until requests for the versions of this server reach it,
// both versions answer, and kubectl discovers them.
func (s *site) waitAvailable(t *testing.T) {
	t.Helper()
	for _, version := range s.ours {
		s.waitSays(t, version, passed)
	}
	for _, version := range []string{"v1", "v1beta3"} {
		s.waitOK(t, path(version, ""))
	}
	s.waitDiscovered(t, apidiscoveryv2.DiscoveryFreshnessCurrent)
}

// waitOK waits until kube-apiserver answers a path with 200.
func (s *site) waitOK(t *testing.T, path string) {
	t.Helper()
	eventually.Holds(t, path+" is served", func(a *eventually.Attempt) {
		reply := s.get(a, path)
		require.Equal(a, http.StatusOK, reply.Code, reply.Body)
	})
}

// passed is the condition of an available APIService that has a Service.
const passed = "Passed: all checks passed"

// testNothingForbidden searches the servers' logs for denied requests.
func testNothingForbidden(t *testing.T, s *site) {
	for _, pod := range s.Servers(t, replicas) {
		for line := range strings.Lines(pod.Process().Output()) {
			require.NotContains(t, line, "forbidden")
		}
	}
}

func apiService(version string) string { return version + "." + group }

// qualified returns the resource name with version and group, for kubectl.
func qualified(version string) string { return "flowschemas." + version + "." + group }

// path returns the path of a schema, or of all if the name is empty.
func path(version, name string) string {
	return strings.TrimSuffix("/apis/"+group+"/"+version+"/flowschemas/"+name, "/")
}

// tester is a test or an attempt of one.
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// get sends a request to kube-apiserver, which must answer. Headers have the form
// "Name: value".
func (s *site) get(t tester, path string, headers ...string) harness.Reply {
	t.Helper()
	return get(t, s.http, s.KubeAPIServer.URL+path, headers...)
}

func get(t tester, client *http.Client, url string, headers ...string) harness.Reply {
	t.Helper()
	reply, err := harness.Send(t.Context(), client, http.MethodGet, url, "", headers...)
	require.NoError(t, err)
	return reply
}

func decode(t tester, reply harness.Reply, into any) {
	t.Helper()
	require.Equal(t, http.StatusOK, reply.Code, reply.Body)
	require.NoError(t, json.Unmarshal([]byte(reply.Body), into), reply.Body)
}
