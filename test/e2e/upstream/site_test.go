// Package upstream tests a server whose kube-apiserver is away, slow, refuses
// what it must be asked, or tells nonsense: the server says what is missing, lets
// nobody in meanwhile, and becomes ready by itself.
package upstream

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// patience is how long something that must happen may take on a slow machine.
	patience    = 2 * time.Minute
	objectsPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
)

// site is a kube-apiserver and its administrator.
type site struct {
	etcd    *harness.Etcd
	kube    *harness.KubeAPIServer
	kubectl *harness.Kubectl
}

// TestUpstream runs all tests on one kube-apiserver, each with a server of its own.
func TestUpstream(t *testing.T) {
	t.Parallel()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	kube := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd})
	s := &site{etcd: etcd, kube: kube, kubectl: kube.Kubectl(t)}
	s.kubectl.Run(t, "create", "clusterrole", "admission", "--verb=list,watch",
		"--resource=namespaces,mutatingwebhookconfigurations,validatingwebhookconfigurations,validatingadmissionpolicies,validatingadmissionpolicybindings")
	for name, test := range map[string]func(*testing.T, *site){
		"away at the start, back, and away again": testAway,
		"no right at all, then one after another": testRights,
		"authorities missing or broken":           testTrust,
		"slow":                                    testSlow,
		"another time of day":                     testClock,
		"a certificate that is not valid yet":     testCertificate,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, s)
		})
	}
}

// rights are the bindings that a server needs, by what kubectl makes of them.
var rights = []string{"auth-delegator", "authentication-reader", "admission"}

// grant gives a service account one of the rights.
func (s *site) grant(t *testing.T, account, right string) {
	t.Helper()
	subject := "--serviceaccount=default:" + account
	switch right {
	case "auth-delegator":
		s.kubectl.Run(t, "create", "clusterrolebinding", account+"-delegator", "--clusterrole=system:auth-delegator", subject)
	case "authentication-reader":
		s.kubectl.Run(t, "create", "rolebinding", account, "-n", "kube-system", "--role=extension-apiserver-authentication-reader", subject)
	case "admission":
		s.kubectl.Run(t, "create", "clusterrolebinding", account+"-admission", "--clusterrole=admission", subject)
	}
}

// server is a server with a gate in front of its kube-apiserver.
type server struct {
	*harness.Server
	gate *gate
}

// launch launches a server as a service account of that name with these rights,
// behind a gate that is closed.
func (s *site) launch(t *testing.T, account string, rights []string, args ...string) *server {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", account)
	for _, right := range rights {
		s.grant(t, account, right)
	}
	gate := newGate(t, s.kube)
	config := clientcmdapi.NewConfig()
	config.Clusters[account] = &clientcmdapi.Cluster{Server: "https://" + gate.address, TLSServerName: "localhost", CertificateAuthority: s.kube.ClientCA.CertFile}
	config.AuthInfos[account] = &clientcmdapi.AuthInfo{Token: strings.TrimSpace(s.kubectl.Run(t, "create", "token", account))}
	config.Contexts[account] = &clientcmdapi.Context{Cluster: account, AuthInfo: account}
	config.CurrentContext = account
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return &server{gate: gate, Server: harness.LaunchServer(t, harness.ServerOptions{
		Etcd: s.etcd, Args: append([]string{"--etcd-prefix=/" + account, "--kubeconfig=" + file, "--v=0"}, args...),
	})}
}

// answer is a response, read to its end.
type answer struct {
	code int
	body string
}

// get asks without credentials but for what is in the headers, "Name: value".
func (s *server) get(ctx context.Context, path string, headers ...string) (answer, error) {
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	reply, err := harness.Send(ctx, client, http.MethodGet, s.URL+path, "", headers...)
	return answer{reply.Code, reply.Body}, err
}

func (s *server) mustGet(t *testing.T, path string, headers ...string) answer {
	t.Helper()
	result, err := s.get(t.Context(), path, headers...)
	require.NoError(t, err)
	return result
}

// await asks for what is answered about when the time of the request is over, again
// if the answer is cut off: the library does that to one which begins just then.
func (s *server) await(t *testing.T, limit time.Duration, path string, headers ...string) answer {
	t.Helper()
	for attempt := 1; ; attempt++ {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		got, err := s.get(ctx, path, headers...)
		cancel()
		cut := errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET)
		if !cut || attempt == 5 {
			require.NoError(t, err, "no answer within %v", limit)
			return got
		}
	}
}

// waitReadiness waits until /readyz?verbose, asked by nobody in particular,
// answers with the code and has each of the texts.
func (s *server) waitReadiness(t *testing.T, code int, texts ...string) {
	t.Helper()
	s.wait(t, "/readyz?verbose", code, texts...)
}

// waitLive waits until what is begun with the start is done.
func (s *server) waitLive(t *testing.T) {
	t.Helper()
	s.wait(t, "/livez", http.StatusOK)
}

// wait waits until a path, asked by nobody in particular, answers so.
func (s *server) wait(t *testing.T, path string, code int, texts ...string) {
	t.Helper()
	var last answer
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		got, err := s.get(ctx, path)
		last = got
		if err != nil || got.code != code {
			return false, nil //nolint:nilerr // the server may not listen yet
		}
		for _, text := range texts {
			if !strings.Contains(got.body, text) {
				return false, nil
			}
		}
		return true, nil
	})
	require.NoError(t, err, "at last: %d %s", last.code, last.body)
}

// requireSaidOnce requires that the log has a text once.
func (s *server) requireSaidOnce(t *testing.T, text string) {
	t.Helper()
	require.Equal(t, 1, strings.Count(s.Process.Output(), text), "how often the log has %q", text)
}

// says is the line of /readyz?verbose about a check that fails.
func says(check, text string) string { return fmt.Sprintf("[-]%s failed: %s", check, text) }

// remarks is that about a check that is passed and has something to say.
func remarks(check, text string) string { return fmt.Sprintf("[+]%s ok, but: %s", check, text) }

func passes(check string) string { return fmt.Sprintf("[+]%s ok\n", check) }
