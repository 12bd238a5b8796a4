// Package e2e tests the server as users run it: with real processes, a real etcd
// and a real kubectl. Tests that depend on the store run with the embedded etcd
// and with an etcd process. Package conformance compares responses with
// kube-apiserver's.
package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

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

// prefixCount returns the options that count the keys with a prefix.
func prefixCount() []clientv3.OpOption {
	return []clientv3.OpOption{clientv3.WithPrefix(), clientv3.WithCountOnly()}
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
	client, err := versioned.NewForConfig(config)
	require.NoError(t, err)
	httpClient, err := rest.HTTPClientFor(config)
	require.NoError(t, err)
	return &site{Server: server, client: client, http: httpClient, etcd: etcd}
}

func (s *site) schemas() flowcontrolv1client.FlowSchemaInterface {
	return s.client.FlowcontrolV1().FlowSchemas()
}

func (s *site) levels() flowcontrolv1client.PriorityLevelConfigurationInterface {
	return s.client.FlowcontrolV1().PriorityLevelConfigurations()
}

// revision returns the revision of the store. It changes with each write.
func (s *site) revision(t *testing.T) int64 {
	t.Helper()
	response, err := s.Store(t).Get(t.Context(), storePrefix)
	require.NoError(t, err)
	return response.Header.Revision
}

// settle waits until the engine has set the Dangling condition of every schema.
// After that an idle server writes nothing.
func (s *site) settle(t *testing.T) {
	t.Helper()
	eventually.Holds(t, "each schema says whether it dangles", func(a *eventually.Attempt) {
		list, err := s.schemas().List(a.Context(), metav1.ListOptions{})
		require.NoError(a, err)
		for i := range list.Items {
			require.NotNil(a, dangling(&list.Items[i]), list.Items[i].Name)
		}
	})
}

// dangling returns the Dangling condition, nil if there is none yet.
func dangling(schema *flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchemaCondition {
	for i, condition := range schema.Status.Conditions {
		if condition.Type == flowcontrolv1.FlowSchemaConditionDangling {
			return &schema.Status.Conditions[i]
		}
	}
	return nil
}

// reply is a response with its whole body.
type reply struct {
	code   int
	header http.Header
	body   string
}

// status decodes the reply, which must be a Status.
func (r reply) status(t *testing.T) metav1.Status {
	t.Helper()
	var status metav1.Status
	require.NoError(t, json.Unmarshal([]byte(r.body), &status), r.body)
	require.Equal(t, "Status", status.Kind, r.body)
	require.EqualValues(t, r.code, status.Code, r.body)
	return status
}

// warnings returns the values of the Warning headers.
func (r reply) warnings() []string { return r.header.Values("Warning") }

// decode decodes the body as JSON.
func (r reply) decode(t *testing.T, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.body), into), r.body)
}

// do sends a request as the administrator. Headers have the form "Name: value".
// The default Content-Type of a body is JSON.
func (s *site) do(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	return send(t, s.http, method, s.URL+path, body, headers...)
}

func send(t *testing.T, client *http.Client, method, url, body string, headers ...string) reply {
	t.Helper()
	result, err := trySend(t.Context(), client, method, url, body, headers...)
	require.NoError(t, err, "%s %s", method, url)
	return result
}

func trySend(ctx context.Context, client *http.Client, method, url, body string, headers ...string) (reply, error) {
	sent, err := harness.Send(ctx, client, method, url, body, headers...)
	return reply{code: sent.Code, header: sent.Header, body: sent.Body}, err
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
				answer, err := trySend(context.WithoutCancel(t.Context()), s.http, http.MethodDelete, s.URL+v1Path+resource+name, "")
				if err != nil || !slices.Contains([]int{http.StatusOK, http.StatusNotFound}, answer.code) {
					t.Errorf("removing %s: %d, %v", name, answer.code, err)
				}
			}
		}
	})
}
