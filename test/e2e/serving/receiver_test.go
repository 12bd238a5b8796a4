package serving

import (
	"crypto/tls"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// receiver is an audit webhook.
type receiver struct {
	server *httptest.Server
	ca     *harness.CA
	// batches are the received batches.
	batches chan []auditv1.Event
	// answers accepts one batch per value. Once it is closed, all batches are
	// rejected. Nil: all are accepted.
	answers chan struct{}
}

// newBatchReceiver returns a webhook that accepts everything.
func newBatchReceiver(t *testing.T) *receiver {
	t.Helper()
	return newReceiver(t, nil)
}

// newStrictReceiver returns a webhook whose answers the test controls.
func newStrictReceiver(t *testing.T) *receiver {
	t.Helper()
	return newReceiver(t, make(chan struct{}))
}

func newReceiver(t *testing.T, answers chan struct{}) *receiver {
	t.Helper()
	r := &receiver{ca: harness.NewCA(t, "audit"), batches: make(chan []auditv1.Event, 100), answers: answers}
	pair := r.ca.Server(t, "audit")
	r.server = httptest.NewUnstartedServer(http.HandlerFunc(r.receive))
	require.NoError(t, r.server.Listener.Close())
	r.server.Listener = listen(t)
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	r.server.TLS = &tls.Config{MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{certificate}}
	r.server.StartTLS()
	t.Cleanup(r.server.Close)
	return r
}

func (r *receiver) receive(w http.ResponseWriter, request *http.Request) {
	var list auditv1.EventList
	if err := json.NewDecoder(request.Body).Decode(&list); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	r.batches <- list.Items
	if r.answers == nil {
		return
	}
	select {
	case _, through := <-r.answers:
		if !through {
			http.Error(w, "no", http.StatusForbidden)
		}
	case <-request.Context().Done():
	}
}

// next waits for the next batch.
func (r *receiver) next(t *testing.T) []auditv1.Event {
	t.Helper()
	var batch []auditv1.Event
	eventually.Holds(t, "a batch has come", func(a *eventually.Attempt) {
		select {
		case batch = <-r.batches:
		default:
			a.Fatalf("none has")
		}
	})
	return batch
}

// kubeconfig writes the webhook's kubeconfig and returns its path.
func (r *receiver) kubeconfig(t *testing.T) string {
	t.Helper()
	return fileOf(t, "webhook.yaml", `apiVersion: v1
kind: Config
clusters:
- name: audit
  cluster:
    server: `+r.server.URL+`
    certificate-authority: `+r.ca.CertFile+`
contexts:
- name: audit
  context:
    cluster: audit
current-context: audit
`)
}

// listen listens on a port reserved for the test.
func listen(t *testing.T) net.Listener {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(harness.FreePorts(t, 1)[0])))
	require.NoError(t, err)
	return listener
}
