package behind

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const kubeObjectsPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// kubeSite is a kube-apiserver and clients of its administrator.
type kubeSite struct {
	etcd    *harness.Etcd
	kube    *harness.KubeAPIServer
	kubectl *harness.Kubectl
	client  kubernetes.Interface
}

// TestKubeAPIServer runs all tests on one kube-apiserver, each with a separate server.
func TestKubeAPIServer(t *testing.T) {
	t.Parallel()
	etcd := harness.StartEtcd(t, harness.EtcdOptions{})
	kube := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{Etcd: etcd})
	client, err := kubernetes.NewForConfig(kube.Config(t))
	require.NoError(t, err)
	s := &kubeSite{etcd: etcd, kube: kube, kubectl: kube.Kubectl(t), client: client}
	s.applyRights(t)
	t.Run("away, with a wrong certificate, slow, with a wrong clock, and away again", func(t *testing.T) {
		t.Parallel()
		testTroubles(t, s)
	})
	t.Run("without any right, then with one after another", func(t *testing.T) {
		t.Parallel()
		testRights(t, s)
	})
}

// server is a server that reaches kube-apiserver through a gate.
type server struct {
	*harness.Server
	gate *gate
}

// launch starts a server behind a closed gate. It uses a new service account
// without permissions.
func (s *kubeSite) launch(t *testing.T, account string, args ...string) *server {
	t.Helper()
	s.kubectl.Run(t, "create", "serviceaccount", account)
	gate := newGate(t, s.kube)
	config := clientcmdapi.NewConfig()
	config.Clusters[account] = &clientcmdapi.Cluster{Server: "https://" + gate.address, TLSServerName: "localhost", CertificateAuthority: s.kube.ClientCA.CertFile}
	config.AuthInfos[account] = &clientcmdapi.AuthInfo{Token: s.token(t, account)}
	config.Contexts[account] = &clientcmdapi.Context{Cluster: account, AuthInfo: account}
	config.CurrentContext = account
	file := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, clientcmd.WriteToFile(*config, file))
	return &server{gate: gate, Server: harness.LaunchServer(t, harness.ServerOptions{
		Etcd: s.etcd, Args: append([]string{"--etcd-prefix=/" + account, "--kubeconfig=" + file, "--v=0"}, args...),
	})}
}

func (s *kubeSite) token(t *testing.T, account string) string {
	t.Helper()
	return strings.TrimSpace(s.kubectl.Run(t, "create", "token", account))
}

// get sends a request without credentials, apart from headers of the form "Name:
// value".
func (s *server) get(a *eventually.Attempt, path string, headers ...string) harness.Reply {
	return s.present(a, nil, path, headers...)
}

// present is get with client certificates.
func (s *server) present(a *eventually.Attempt, certificates []tls.Certificate, path string, headers ...string) harness.Reply {
	config := &tls.Config{InsecureSkipVerify: true, Certificates: certificates}
	client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}}
	reply, err := harness.Send(a.Context(), client, http.MethodGet, s.URL+path, "", headers...)
	require.NoError(a, err)
	return reply
}

// requireRejected requires that the requests, given by their headers, are rejected
// even if kube-apiserver is slow. It retries if an answer is cut off:
// k8s.io/apiserver does that to an answer that begins just as the request times
// out.
func (s *server) requireRejected(t *testing.T, requests map[string][]string) {
	t.Helper()
	var all sync.WaitGroup
	var mu sync.Mutex // guards failures
	failures := map[string]string{}
	for name, headers := range requests {
		all.Go(func() {
			code := 0
			failed := eventually.Within(t.Context(), func(a *eventually.Attempt) {
				code = s.get(a, kubeObjectsPath, headers...).Code
			})
			mu.Lock()
			defer mu.Unlock()
			if failed != "" || code < http.StatusUnauthorized {
				failures[name] = fmt.Sprintf("answered %d: %s", code, failed)
			}
		})
	}
	all.Wait()
	require.Empty(t, failures)
}

// waitReadiness waits until an anonymous request for /readyz?verbose is answered
// with the code and each of the texts.
func (s *server) waitReadiness(t *testing.T, code int, texts ...string) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("readiness is %d and says %q", code, texts), func(a *eventually.Attempt) {
		reply := s.get(a, "/readyz?verbose")
		require.Equal(a, code, reply.Code, reply.Body)
		for _, text := range texts {
			require.Contains(a, reply.Body, text)
		}
	})
}

// waitCode waits until requests for a path are answered with the code.
func (s *server) waitCode(t *testing.T, path string, code int, headers ...string) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("%s is answered %d", path, code), func(a *eventually.Attempt) {
		reply := s.get(a, path, headers...)
		require.Equal(a, code, reply.Code, reply.Body)
	})
}

// waitSaid waits until the log contains a text.
func (s *server) waitSaid(t *testing.T, text string) {
	t.Helper()
	eventually.Holds(t, "the log has "+text, func(a *eventually.Attempt) { require.Contains(a, s.Process.Output(), text) })
}

// requireSaid requires that the log contains a text count times. The server logs a
// check result before /readyz reports it.
func (s *server) requireSaid(t *testing.T, count int, text string) {
	t.Helper()
	require.Equal(t, count, strings.Count(s.Process.Output(), text), "how often the log has %q", text)
}

// says returns the line of /readyz?verbose about a failed check.
func says(check, text string) string { return fmt.Sprintf("[-]%s failed: %s", check, text) }

// remarks returns the line about a check that passed with a warning.
func remarks(check, text string) string { return fmt.Sprintf("[+]%s ok, but: %s", check, text) }

func passes(check string) string { return fmt.Sprintf("[+]%s ok\n", check) }
