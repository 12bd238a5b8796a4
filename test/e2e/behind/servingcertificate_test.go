package behind

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// testReplacedCA replaces the CA of the serving certificates, as docs/certificates.md says. Each
// replica must at any time present a certificate that caBundle of the APIService already trusts.
func testReplacedCA(t *testing.T, s *besideSite, _ *load) {
	pods := s.Servers(t, replicas)
	shaker := &handshaker{presented: map[string]string{}}
	ctx, stop := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { shaker.run(ctx, s, pods) })
	defer func() {
		stop()
		wg.Wait()
		require.Empty(t, shaker.failures, "of %d handshakes", shaker.count)
		t.Logf("%d handshakes, none failed", shaker.count)
	}()
	var before string
	eventually.Holds(t, "all replicas present a certificate of one CA", func(a *eventually.Attempt) {
		before = shaker.issuer(a, pods)
	})
	s.kubectl.Run(t, "-n", cluster.Namespace, "patch", "secret", "flowcontrol-apiserver-serving", "--type=merge", "-p", `{"data":{"ca.key":null}}`)
	eventually.Holds(t, "all replicas present a certificate of the next CA", func(a *eventually.Attempt) {
		require.NotEqual(a, before, shaker.issuer(a, pods))
	})
}

// handshaker connects to every pod repeatedly.
type handshaker struct {
	mu       sync.Mutex // guards what follows
	count    int
	failures []string
	// presented is the issuer of the certificate of each pod.
	presented map[string]string
}

// run trusts what caBundle was in the round before, as a kube-apiserver that reads it late.
func (h *handshaker) run(ctx context.Context, s *besideSite, pods []*cluster.Pod) {
	var trusted *x509.CertPool
	ticker := time.NewTicker(5 * pace)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		registered, err := s.dynamic.Resource(apiServices()).Get(ctx, apiService("v1beta3"), metav1.GetOptions{})
		if err != nil {
			continue // the context has ended, or the request is retried
		}
		for _, pod := range pods {
			if trusted != nil {
				h.shake(ctx, pod, trusted)
			}
		}
		encoded, _, _ := unstructured.NestedString(registered.Object, "spec", "caBundle")
		bundle, _ := base64.StdEncoding.DecodeString(encoded) // an error is an empty bundle, which trusts nobody
		trusted = x509.NewCertPool()
		trusted.AppendCertsFromPEM(bundle)
	}
}

func (h *handshaker) shake(ctx context.Context, pod *cluster.Pod, trusted *x509.CertPool) {
	dialer := &tls.Dialer{NetDialer: &net.Dialer{Timeout: 10 * time.Second}, Config: &tls.Config{RootCAs: trusted, ServerName: cluster.ServerName}}
	connection, err := dialer.DialContext(ctx, "tcp", pod.Address(cluster.ServerPort))
	h.mu.Lock()
	defer h.mu.Unlock()
	if err != nil {
		if ctx.Err() == nil && len(h.failures) < 10 {
			h.failures = append(h.failures, fmt.Sprintf("%s: %v", pod.Name(), err))
		}
		return
	}
	h.count++
	h.presented[pod.Name()] = connection.(*tls.Conn).ConnectionState().PeerCertificates[0].Issuer.CommonName
	_ = connection.Close() // nothing was written
}

// issuer returns the CA of the certificates of all pods.
func (h *handshaker) issuer(a *eventually.Attempt, pods []*cluster.Pod) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	issuer := h.presented[pods[0].Name()]
	require.NotEmpty(a, issuer)
	for _, pod := range pods {
		require.Equal(a, issuer, h.presented[pod.Name()])
	}
	return issuer
}
