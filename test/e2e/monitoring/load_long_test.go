//go:build long

package monitoring

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const schemasPath = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// pause is between two requests of a sender, so that rejections do not occupy the machine.
const pause = 20 * time.Millisecond

// client returns a client of servers of any certificate.
func client(certificates ...tls.Certificate) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true, Certificates: certificates}, MaxIdleConnsPerHost: 100,
	}}
}

// certified returns a client with a certificate.
func certified(t *testing.T, pair harness.Pair) *http.Client {
	t.Helper()
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	return client(certificate)
}

// load sends requests with a token, n at a time, until stop is called. In the URL $n
// stands for a number that grows.
func load(t *testing.T, token, url string, n int) (stop func()) {
	t.Helper()
	return repeat(t, client(), http.MethodGet, url, "", n, "Authorization: Bearer "+token)
}

// repeat is load for other requests.
func repeat(t *testing.T, client *http.Client, method, url, body string, n int, headers ...string) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var (
		senders sync.WaitGroup
		number  atomic.Int64
	)
	for range n {
		senders.Go(func() {
			for ctx.Err() == nil {
				to := strings.ReplaceAll(url, "$n", fmt.Sprint("n", number.Add(1)))
				_, _ = harness.Send(ctx, client, method, to, body, headers...) // its outcome shows in metrics
				select {
				case <-time.After(pause):
				case <-ctx.Done():
				}
			}
		})
	}
	stop = func() {
		cancel()
		senders.Wait()
	}
	t.Cleanup(stop)
	return stop
}
