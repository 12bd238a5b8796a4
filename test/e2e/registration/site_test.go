// Package registration tests the three ways to make the API of a cluster this
// server's, as contract and docs have them: v1beta3 beside the native v1 on one
// store, both versions taken over, and both versions of a kube-apiserver whose
// own flow control is off. A real kube-apiserver has the files of artifacts/
// applied, unchanged, and is asked with kubectl.
//
// What must hold in every registration is a theme, a function of the site; each
// registration runs the themes, and what is its own, in one cluster.
package registration

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

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/eventually"
)

const (
	group    = "flowcontrol.apiserver.k8s.io"
	replicas = 3 // of the Deployment
)

// site is a cluster in which this server is registered.
type site struct {
	*cluster.Cluster
	// owner is the test with which all processes end, those too that a theme
	// starts again.
	owner   *testing.T
	kubectl *harness.Kubectl
	dynamic dynamic.Interface
	http    *http.Client // of the administrator
	// ours are the versions that this server serves; the other one, if any, is
	// kube-apiserver's own.
	ours []string
	// alice is the UID of the schema alices, once there is one.
	alice string
}

// theme is what holds in a registration.
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

// everywhere is what holds in every registration.
func everywhere() []theme {
	return []theme{
		{"discovery and OpenAPI have both versions", testDiscovery},
		{"kubectl does all it can do, in v1", func(t *testing.T, s *site) { t.Helper(); testKubectl(t, s, "v1", "v1beta3") }},
		{"kubectl does all it can do, in v1beta3", func(t *testing.T, s *site) { t.Helper(); testKubectl(t, s, "v1beta3", "v1") }},
		{"both servers may be started again, in any order, and write nothing", testRestarts},
	}
}

// survivor is a FlowSchema that is there from the start.
const survivor = "survivor"

func siteOf(t *testing.T, c *cluster.Cluster, ours ...string) *site {
	t.Helper()
	config := c.Config(t)
	config.WarningHandler = rest.NoWarnings{} // about v1beta3
	client, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	objects, err := dynamic.NewForConfig(config)
	require.NoError(t, err)
	s := &site{Cluster: c, owner: t, kubectl: c.Kubectl(t), dynamic: objects, http: client, ours: ours}
	s.waitAvailable(t)
	s.kubectl.RunInput(t, manifest("v1", survivor), "apply", "-f", "-")
	return s
}

// startShared deploys the server beside the native v1, on the etcd of the
// cluster, whose kube-apiserver is at the path, if it is not the usual one.
func startShared(t *testing.T, kubeAPIServer string) *site {
	t.Helper()
	return siteOf(t, cluster.StartBeside(t, cluster.Options{KubeAPIServer: kubeAPIServer}), "v1beta3")
}

// startOwn deploys the server on an etcd of its own.
func startOwn(t *testing.T, overlay string, ours []string, kubeAPIServerArgs ...string) *site {
	t.Helper()
	c := cluster.Start(t, cluster.Options{KubeAPIServerArgs: kubeAPIServerArgs})
	c.Apply(t, overlay)
	c.MakeCertificates(t, "--etcd")
	c.WaitRollout(t)
	return siteOf(t, c, ours...)
}

// takeV1 takes v1 over.
func (s *site) takeV1(t *testing.T) {
	t.Helper()
	s.Apply(t, "overlays/take-v1")
	s.MakeCertificates(t)
	s.ours = []string{"v1", "v1beta3"}
	s.waitAvailable(t)
}

// waitAvailable waits until kube-apiserver passes requests for our versions on,
// answers those for both, and tells kubectl of them.
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

// waitOK waits until kube-apiserver answers for a path.
func (s *site) waitOK(t *testing.T, path string) {
	t.Helper()
	eventually.Holds(t, path+" is served", func(a *eventually.Attempt) {
		reply := s.get(a, path)
		require.Equal(a, http.StatusOK, reply.Code, reply.Body)
	})
}

// passed is what an APIService says that is available and not kube-apiserver's own.
const passed = "Passed: all checks passed"

// testNothingForbidden reads what the servers have logged so far.
func testNothingForbidden(t *testing.T, s *site) {
	for _, pod := range s.Servers(t, replicas) {
		for line := range strings.Lines(pod.Process().Output()) {
			require.NotContains(t, line, "forbidden")
		}
	}
}

func apiService(version string) string { return version + "." + group }

// qualified is the resource as kubectl is told its version.
func qualified(version string) string { return "flowschemas." + version + "." + group }

// path is that of a schema, or of all if the name is empty.
func path(version, name string) string {
	return strings.TrimSuffix("/apis/"+group+"/"+version+"/flowschemas/"+name, "/")
}

// tester is a test, or an attempt of one.
type tester interface {
	require.TestingT
	Helper()
	Context() context.Context
}

// get asks kube-apiserver, which must answer; headers are "Name: value".
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
