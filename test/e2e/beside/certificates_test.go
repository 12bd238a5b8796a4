package beside

import (
	"context"
	"crypto/tls"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// testServingCertificate replaces the serving certificate as documented: it
// deletes the Secret and runs the script again.
func testServingCertificate(t *testing.T, s *site, _ *load) {
	pods := s.Servers(t, replicas)
	before, err := s.serial(pods[0])
	require.NoError(t, err)
	s.kubectl.Run(t, "-n", cluster.Namespace, "delete", "secret", "flowcontrol-apiserver-serving")
	s.MakeCertificates(t)
	for _, pod := range pods {
		eventually.Holds(t, pod.Name()+" serves with the new certificate", func(a *eventually.Attempt) {
			now, err := s.serial(pod)
			require.NoError(a, err)
			require.NotEqual(a, before, now)
		})
		require.Zero(t, pod.Restarts())
	}
}

// serial returns the serial number of a pod's serving certificate.
func (s *site) serial(pod *cluster.Pod) (string, error) {
	connection, err := tls.Dial("tcp", pod.Address(cluster.ServerPort), &tls.Config{RootCAs: s.serving, ServerName: cluster.ServerName})
	if err != nil {
		return "", err
	}
	defer func() { _ = connection.Close() }()
	return connection.ConnectionState().PeerCertificates[0].SerialNumber.String(), nil
}

// testFrontProxy replaces the front proxy's certificate, and then its CA: trust
// both CAs, switch the proxy, drop the old CA.
func testFrontProxy(t *testing.T, s *site, l *load) {
	s.switchProxy(t, s.proxyCA)
	l.goOn(t)

	old, next := s.proxyCA, s.nextProxyCA
	s.waitProxy(t, old, http.StatusOK)
	s.waitProxy(t, next, http.StatusUnauthorized)
	replace(t, s.proxyCAFile, old.CertFile, next.CertFile)
	s.waitProxy(t, next, http.StatusOK)
	l.goOn(t)
	s.switchProxy(t, next)
	l.goOn(t)
	replace(t, s.proxyCAFile, next.CertFile)
	s.forget(t, old)
	s.waitProxy(t, old, http.StatusUnauthorized)
	s.waitProxy(t, next, http.StatusOK)
	s.proxyCA = next
}

// switchProxy replaces kube-apiserver's front proxy certificate, and waits until
// kube-apiserver logs that it has loaded it.
func (s *site) switchProxy(t *testing.T, authority *harness.CA) {
	t.Helper()
	const message = `"Loaded a new cert/key pair" name="aggregator-proxy-cert`
	before := strings.Count(s.KubeAPIServer.Process.Output(), message)
	s.replaceProxyPair(t, authority)
	eventually.Holds(t, "kube-apiserver has read the front proxy's certificate", func(a *eventually.Attempt) {
		require.Greater(a, strings.Count(s.KubeAPIServer.Process.Output(), message), before)
	})
}

// waitProxy waits until every pod answers a front proxy of the CA with the code.
func (s *site) waitProxy(t *testing.T, authority *harness.CA, code int) {
	t.Helper()
	pair := authority.Client(t, proxyName)
	for _, pod := range s.Servers(t, replicas) {
		client := s.only(t, pod, &pair)
		waitCode(t, pod.Name()+" has heard of the front proxy", code, func(ctx context.Context) (int, error) {
			return request(ctx, client, http.MethodGet, "https://"+cluster.ServerName+objectsPath, "", "X-Remote-User: admin", "X-Remote-Group: system:masters")
		})
	}
}

// forget makes kube-apiserver stop publishing a CA. By itself kube-apiserver only
// adds CAs to those it published before. After the ConfigMap is deleted, it
// publishes the old CA again if it has not reloaded its file yet.
func (s *site) forget(t *testing.T, authority *harness.CA) {
	t.Helper()
	old, err := os.ReadFile(authority.CertFile)
	require.NoError(t, err)
	const name = "extension-apiserver-authentication"
	trust := s.Client.CoreV1().ConfigMaps("kube-system")
	eventually.Holds(t, "kube-apiserver does not tell of the old CA", func(a *eventually.Attempt) {
		told, err := trust.Get(a.Context(), name, metav1.GetOptions{})
		require.NoError(a, err)
		for key, bundle := range told.Data {
			if strings.Contains(bundle, string(old)) {
				require.NoError(a, trust.Delete(a.Context(), name, metav1.DeleteOptions{}))
				require.Fail(a, key+" has it")
			}
		}
	})
}

// testClientCA replaces the CA of users' certificates: trust both CAs, switch the
// users, drop the old CA.
func testClientCA(t *testing.T, s *site, l *load) {
	old, oldPair := s.clientCA, s.holder(t)
	s.clientCA = s.nextClientCA
	nextPair := s.holder(t)
	s.waitHolder(t, oldPair, http.StatusOK)
	s.waitHolder(t, nextPair, http.StatusUnauthorized)
	replace(t, s.clientCAFile, old.CertFile, s.clientCA.CertFile)
	s.waitHolder(t, nextPair, http.StatusOK)
	s.waitHolder(t, oldPair, http.StatusOK)
	l.goOn(t)
	l.present(t, s, nextPair)
	l.goOn(t)
	replace(t, s.clientCAFile, s.clientCA.CertFile)
	s.forget(t, old)
	s.waitHolder(t, oldPair, http.StatusUnauthorized)
	s.waitHolder(t, nextPair, http.StatusOK)
}

// waitHolder waits until kube-apiserver and every pod answer a certificate with
// the code.
func (s *site) waitHolder(t *testing.T, pair harness.Pair, code int) {
	t.Helper()
	client := s.relayed(t, &pair)
	waitCode(t, "kube-apiserver has heard of the authority", code, func(ctx context.Context) (int, error) {
		client.CloseIdleConnections()
		return request(ctx, client, http.MethodGet, s.KubeAPIServer.URL+objectsPath, "")
	})
	for _, pod := range s.Servers(t, replicas) {
		client := s.only(t, pod, &pair)
		waitCode(t, pod.Name()+" has heard of the authority", code, func(ctx context.Context) (int, error) {
			return request(ctx, client, http.MethodGet, "https://"+cluster.ServerName+objectsPath, "")
		})
	}
}
