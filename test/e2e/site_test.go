// Package e2e tests the server as its users meet it: real processes, a real
// etcd, a real kubectl. What does not depend on where the objects are stored is
// tested with the embedded etcd and with an etcd process alike.
package e2e

import (
	"context"
	"encoding/json"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	clientv3 "go.etcd.io/etcd/client/v3"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// grace is how long something that must happen may take on a slow machine.
	grace = time.Minute
	// pollInterval separates two looks at something that is waited for.
	pollInterval = 20 * time.Millisecond

	groupPath   = "/apis/flowcontrol.apiserver.k8s.io"
	v1Path      = groupPath + "/v1"
	v1beta3Path = groupPath + "/v1beta3"
	storePrefix = "/registry/flowcontrol.apiserver.k8s.io"
)

// site is a server and the ways to it.
type site struct {
	*harness.Server
	client versioned.Interface
	http   *http.Client
	// etcd is the process that stores the objects, nil for the embedded one.
	etcd *harness.Etcd
}

// stores are the two places for objects, by name: nil is the embedded etcd.
func stores() map[string]func(*testing.T) *harness.Etcd {
	return map[string]func(*testing.T) *harness.Etcd{
		"on its embedded etcd": func(*testing.T) *harness.Etcd { return nil },
		"on an etcd process":   func(t *testing.T) *harness.Etcd { t.Helper(); return startEtcd(t) },
	}
}

func startEtcd(t *testing.T, args ...string) *harness.Etcd {
	t.Helper()
	return harness.StartEtcd(t, harness.EtcdOptions{Args: args})
}

// prefixCount are the options that count the keys that begin like the key.
func prefixCount() []clientv3.OpOption {
	return []clientv3.OpOption{clientv3.WithPrefix(), clientv3.WithCountOnly()}
}

// startSite starts a server with further flags and waits until it is ready.
func startSite(t *testing.T, etcd *harness.Etcd, args ...string) *site {
	t.Helper()
	return siteOf(t, harness.StartServer(t, harness.ServerOptions{Etcd: etcd, Args: args}), etcd)
}

// siteOf makes the clients of a server whose kubeconfig is there.
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

// store returns a client of the etcd that holds the objects.
func (s *site) store(t *testing.T) *clientv3.Client {
	t.Helper()
	if s.etcd != nil {
		return s.etcd.Client(t)
	}
	client, err := clientv3.New(clientv3.Config{
		Endpoints:   []string{"unix://" + filepath.Join(s.DataDir, "etcd", "client.sock")},
		DialTimeout: grace,
	})
	require.NoError(t, err)
	t.Cleanup(func() { _ = client.Close() })
	return client
}

// revision is that of the whole store: it stands still while nothing is written.
func (s *site) revision(t *testing.T) int64 {
	t.Helper()
	response, err := s.store(t).Get(t.Context(), storePrefix)
	require.NoError(t, err)
	return response.Header.Revision
}

// settle waits until the engine has told of every schema whether it dangles:
// from then on a server that is left alone writes nothing.
func (s *site) settle(t *testing.T) {
	t.Helper()
	eventually(t, "each schema says whether it dangles", func(ctx context.Context) (bool, error) {
		list, err := s.schemas().List(ctx, metav1.ListOptions{})
		if err != nil {
			return false, err
		}
		for i := range list.Items {
			if dangling(&list.Items[i]) == nil {
				return false, nil
			}
		}
		return true, nil
	})
}

// settled is a schema once the engine has written its status.
func (s *site) settled(t *testing.T, name string) *flowcontrolv1.FlowSchema {
	t.Helper()
	var schema *flowcontrolv1.FlowSchema
	eventually(t, name+" says whether it dangles", func(ctx context.Context) (bool, error) {
		var err error
		schema, err = s.schemas().Get(ctx, name, metav1.GetOptions{})
		return err == nil && dangling(schema) != nil, err
	})
	return schema
}

// dangling is the condition of that name, nil if there is none yet.
func dangling(schema *flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchemaCondition {
	for i, condition := range schema.Status.Conditions {
		if condition.Type == flowcontrolv1.FlowSchemaConditionDangling {
			return &schema.Status.Conditions[i]
		}
	}
	return nil
}

// reply is an HTTP response, read to its end.
type reply struct {
	code   int
	header http.Header
	body   string
}

// status is the Status object that the reply must be.
func (r reply) status(t *testing.T) metav1.Status {
	t.Helper()
	var status metav1.Status
	require.NoError(t, json.Unmarshal([]byte(r.body), &status), r.body)
	require.Equal(t, "Status", status.Kind, r.body)
	require.EqualValues(t, r.code, status.Code, r.body)
	return status
}

// warnings are the texts of the Warning headers.
func (r reply) warnings() []string { return r.header.Values("Warning") }

// decode reads the body as JSON.
func (r reply) decode(t *testing.T, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(r.body), into), r.body)
}

// do sends a request as the administrator. Headers are "Name: value"; a body
// without Content-Type is JSON.
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

// eventually waits until look says true. An error of look is kept for the
// message and looked past.
func eventually(t *testing.T, what string, look func(context.Context) (bool, error)) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), pollInterval, grace, true, func(ctx context.Context) (bool, error) {
		var done bool
		done, last = look(ctx)
		return done && last == nil, nil
	})
	if err != nil {
		t.Fatalf("waiting until %s: %v; at last: %v", what, err, last)
	}
}
