// Package serving tests the flags that this server shares with kube-apiserver:
// encryption at rest, audit, traces, logs, profiling, TLS, HTTP/2 and the grace
// period of /livez. It runs real servers. Flags that do not affect each other
// share one server.
package serving

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned"
	flowcontrolv1client "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/typed/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	v1Path      = "/apis/flowcontrol.apiserver.k8s.io/v1"
	schemasPath = v1Path + "/flowschemas"
	levelsPath  = v1Path + "/prioritylevelconfigurations"
)

// site is a server and its clients.
type site struct {
	*harness.Server
	api  flowcontrolv1client.FlowcontrolV1Interface
	http *http.Client
	// strangers is a client without credentials; requests may add a token.
	strangers *http.Client
}

// launchSite starts a server and waits until it answers, whether ready or not.
func launchSite(t *testing.T, options harness.ServerOptions) *site {
	t.Helper()
	s := &site{Server: harness.LaunchServer(t, options)}
	s.awaitAnswer(t)
	return s
}

// startSite calls launchSite and waits until the server is ready.
func startSite(t *testing.T, options harness.ServerOptions) *site {
	t.Helper()
	s := launchSite(t, options)
	require.NoError(t, s.WaitReady(t.Context()))
	return s
}

// awaitAnswer waits until the server answers, after a start or restart, and
// creates its clients.
func (s *site) awaitAnswer(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		select {
		case <-s.Process.Done():
			cancel()
		case <-ctx.Done():
		}
	}()
	failures := eventually.Within(ctx, func(a *eventually.Attempt) {
		require.FileExists(a, s.Kubeconfig)
		s.connect(a)
		s.get(a, "/livez")
	})
	require.Empty(t, failures, s.Process.Output())
}

// connect creates the clients.
func (s *site) connect(a *eventually.Attempt) {
	config, err := clientcmd.BuildConfigFromFlags("", s.Kubeconfig)
	require.NoError(a, err)
	config.QPS = -1
	s.http, err = rest.HTTPClientFor(config)
	require.NoError(a, err)
	client, err := versioned.NewForConfigAndClient(config, s.http)
	require.NoError(a, err)
	s.api = client.FlowcontrolV1()
	s.strangers, err = rest.HTTPClientFor(rest.AnonymousClientConfig(config))
	require.NoError(a, err)
}

// address returns the server's address.
func (s *site) address() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.Port)) }

// ask sends a request as the administrator.
func (s *site) ask(t *testing.T, method, path, body string, headers ...string) harness.Reply {
	t.Helper()
	answer, err := harness.Send(t.Context(), s.http, method, s.URL+path, body, headers...)
	require.NoError(t, err)
	return answer
}

// askAs sends a request with a token.
func (s *site) askAs(t *testing.T, token, method, path, body string, headers ...string) harness.Reply {
	t.Helper()
	answer, err := harness.Send(t.Context(), s.strangers, method, s.URL+path, body, append(headers, "Authorization: Bearer "+token)...)
	require.NoError(t, err)
	return answer
}

// get sends a request as the administrator in an attempt.
func (s *site) get(a *eventually.Attempt, path string) harness.Reply {
	answer, err := harness.Send(a.Context(), s.http, http.MethodGet, s.URL+path, "")
	require.NoError(a, err)
	return answer
}

// createSchema creates a FlowSchema and waits until the server has written its
// status.
func (s *site) createSchema(t *testing.T, name, user string) *flowcontrolv1.FlowSchema {
	t.Helper()
	created, err := s.api.FlowSchemas().Create(t.Context(), schemaOf(name, user), metav1.CreateOptions{})
	require.NoError(t, err)
	eventually.Holds(t, "the FlowSchema has its status", func(a *eventually.Attempt) {
		created, err = s.api.FlowSchemas().Get(a.Context(), name, metav1.GetOptions{})
		require.NoError(a, err)
		require.NotEmpty(a, created.Status.Conditions)
	})
	return created
}

// schemaOf returns a FlowSchema for the health checks of one user.
func schemaOf(name, user string) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "catch-all"},
			MatchingPrecedence:         500,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects:         []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: user}}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/healthz"}}},
			}},
		},
	}
}

// levelNamed returns a PriorityLevelConfiguration in JSON.
func levelNamed(name string) string {
	return `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfiguration","metadata":{"name":"` + name +
		`"},"spec":{"type":"Limited","limited":{"nominalConcurrencyShares":1,"limitResponse":{"type":"Reject"}}}}`
}

// fileOf writes a file for a server to read.
func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// tokensOf writes a token file. Each user's token is their name. All users apart
// from the guest are administrators.
func tokensOf(t *testing.T, administrators ...string) string {
	t.Helper()
	lines := guest + "," + guest + "," + guest + "\n"
	for _, user := range administrators {
		lines += user + "," + user + "," + user + `,"system:masters"` + "\n"
	}
	return fileOf(t, "tokens.csv", lines)
}

// guest is a user without permissions.
const guest = "guest"

// dial opens a TLS connection to the server without verification of its
// certificate.
func (s *site) dial(ctx context.Context, config *tls.Config) (*tls.Conn, error) {
	config.InsecureSkipVerify = true
	connection, err := (&tls.Dialer{Config: config}).DialContext(ctx, "tcp", s.address())
	if err != nil {
		return nil, err
	}
	return connection.(*tls.Conn), nil
}
