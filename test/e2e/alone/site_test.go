package alone

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/described"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

var updateDocs = tour.Flag()

const (
	groupPath   = "/apis/flowcontrol.apiserver.k8s.io"
	v1Path      = groupPath + "/v1"
	v1beta3Path = groupPath + "/v1beta3"
	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"
)

// site is a server and its clients.
type site struct {
	*harness.Server
	client versioned.Interface
	http   *http.Client
	// etcd is the process that stores the objects; nil for the embedded etcd.
	etcd *harness.Etcd
}

func startEtcd(t *testing.T, args ...string) *harness.Etcd {
	t.Helper()
	return harness.StartEtcd(t, harness.EtcdOptions{Args: args})
}

// startSite starts a server with additional flags and waits until it is ready.
func startSite(t *testing.T, etcd *harness.Etcd, args ...string) *site {
	t.Helper()
	return siteOf(t, harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: args}), etcd)
}

// siteOf creates the clients of a server whose kubeconfig exists.
func siteOf(t *testing.T, server *harness.Server, etcd *harness.Etcd) *site {
	t.Helper()
	config := server.Config(t)
	described.Judge(t, config)
	httpClient, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	return &site{Server: server, client: client, http: httpClient, etcd: etcd}
}

func (s *site) schemas() flowcontrolv1client.FlowSchemaInterface {
	return s.client.FlowcontrolV1().FlowSchemas()
}

func (s *site) levels() flowcontrolv1client.PriorityLevelConfigurationInterface {
	return s.client.FlowcontrolV1().PriorityLevelConfigurations()
}

// do sends a request as the administrator. Headers have the form "Name: value".
// The default Content-Type of a body is JSON.
func (s *site) do(t *testing.T, method, path, body string, headers ...string) harness.Reply {
	t.Helper()
	return send(t, s.http, method, s.URL+path, body, headers...)
}

func send(t *testing.T, client *http.Client, method, url, body string, headers ...string) harness.Reply {
	t.Helper()
	result, err := harness.Send(t.Context(), client, method, url, body, headers...)
	require.NoError(t, err, "%s %s", method, url)
	return result
}

// names returns the names of the schemas.
func names(list *flowcontrolv1.FlowSchemaList) []string {
	var names []string
	for _, item := range list.Items {
		names = append(names, item.Name)
	}
	return names
}

// removeAfter deletes the schemas and levels with these names, if they exist, when
// the case ends.
func (s *site) removeAfter(t *testing.T, names ...string) {
	t.Helper()
	t.Cleanup(func() {
		for _, name := range names {
			for _, resource := range []string{"/flowschemas/", "/prioritylevelconfigurations/"} {
				answer, err := harness.Send(context.WithoutCancel(t.Context()), s.http, http.MethodDelete, s.URL+v1Path+resource+name, "")
				if err != nil || !slices.Contains([]int{http.StatusOK, http.StatusNotFound}, answer.Code) {
					t.Errorf("removing %s: %d, %v", name, answer.Code, err)
				}
			}
		}
	})
}

// fileOf writes a file for a server to read.
func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}
