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
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
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
		{"while this server is away it is said so, and the rest of the cluster goes on", testAway},
	}
}

func siteOf(t *testing.T, c *cluster.Cluster, ours ...string) *site {
	t.Helper()
	client, err := rest.HTTPClientFor(c.Config(t))
	require.NoError(t, err)
	return &site{Cluster: c, owner: t, kubectl: c.Kubectl(t), http: client, ours: ours}
}

// startShared deploys the server beside the native v1, on the etcd of the
// cluster, whose kube-apiserver is at the path, if it is not the usual one.
func startShared(t *testing.T, kubeAPIServer string) *site {
	t.Helper()
	s := siteOf(t, cluster.StartBeside(t, cluster.Options{KubeAPIServer: kubeAPIServer}), "v1beta3")
	s.waitAvailable(t)
	return s
}

// startOwn deploys the server on an etcd of its own.
func startOwn(t *testing.T, overlay string, ours []string, kubeAPIServerArgs ...string) *site {
	t.Helper()
	c := cluster.Start(t, cluster.Options{KubeAPIServerArgs: kubeAPIServerArgs})
	c.Apply(t, overlay)
	c.MakeCertificates(t, "--etcd")
	c.WaitRollout(t)
	s := siteOf(t, c, ours...)
	s.waitAvailable(t)
	return s
}

// waitAvailable waits until kube-apiserver passes requests for our versions on,
// answers those for both, and tells kubectl of them.
func (s *site) waitAvailable(t *testing.T) {
	t.Helper()
	for _, version := range s.ours {
		s.waitSays(t, version, passed)
	}
	for _, version := range []string{"v1", "v1beta3"} {
		cluster.Eventually(t, version+" is served", func(ctx context.Context) error {
			answer, err := s.try(ctx, path(version, ""))
			return errors.Join(err, answer.unless(http.StatusOK))
		})
	}
	s.waitDiscovered(t, apidiscoveryv2.DiscoveryFreshnessCurrent)
}

// passed is what an APIService says that is available and not kube-apiserver's own.
const passed = "Passed: all checks passed"

// wait is kubectl wait, begun anew for as long as something may take: a controller
// that could not do its work when kube-apiserver was away tries again later.
func (s *site) wait(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"wait", "--timeout=1m"}, args...)
	cluster.Eventually(t, "kubectl "+strings.Join(args, " "), func(context.Context) error {
		if waited := s.kubectl.Try(t, "", args...); waited.ExitCode != 0 {
			return errors.New(waited.Stderr)
		}
		return nil
	})
}

func apiService(version string) string { return version + "." + group }

// schemas is the resource as kubectl is told its version.
func schemas(version string) string { return "flowschemas." + version + "." + group }

// path is that of a schema, or of all if the name is empty.
func path(version, name string) string {
	return strings.TrimSuffix("/apis/"+group+"/"+version+"/flowschemas/"+name, "/")
}

// answer is a response, read to its end.
type answer struct {
	code   int
	header http.Header
	body   string
}

// unless is an error if the code is another.
func (a answer) unless(code int) error {
	if a.code != code {
		return fmt.Errorf("%d: %s", a.code, a.body)
	}
	return nil
}

func (a answer) decode(t *testing.T, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(a.body), into), a.body)
}

// get asks kube-apiserver.
func (s *site) get(t *testing.T, path string) answer {
	t.Helper()
	result, err := s.try(t.Context(), path)
	require.NoError(t, err)
	return result
}

// try is get that may fail; headers are "Name: value".
func (s *site) try(ctx context.Context, path string, headers ...string) (answer, error) {
	return get(ctx, s.http, s.KubeAPIServer.URL+path, headers...)
}

func get(ctx context.Context, client *http.Client, url string, headers ...string) (answer, error) {
	reply, err := harness.Send(ctx, client, http.MethodGet, url, "", headers...)
	return answer{code: reply.Code, header: reply.Header, body: reply.Body}, err
}
