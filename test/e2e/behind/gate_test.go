package behind

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// gate is a proxy between a server and kube-apiserver. It forwards requests with
// their credentials. Tests can close it, delay its answers, or change them.
type gate struct {
	address string // reserved while the gate is closed
	handler http.Handler
	server  *http.Server

	mu    sync.Mutex // guards the fields below
	pair  *tls.Certificate
	held  chan struct{}
	ahead time.Duration // added to the Date of answers
	trust *toldTrust    // replaces the ConfigMap of CAs
}

// toldTrust is the gate's replacement for the ConfigMap of CAs.
type toldTrust struct {
	data map[string]string // nil: the ConfigMap is missing
	over chan struct{}     // closed to end watches
}

// newGate returns a closed gate. kube-apiserver's client CA signs its certificate.
func newGate(t *testing.T, kube *harness.KubeAPIServer) *gate {
	t.Helper()
	target, err := url.Parse(kube.URL)
	require.NoError(t, err)
	g := &gate{address: fmt.Sprintf("127.0.0.1:%d", harness.FreePorts(t, 1)[0])}
	g.certify(t, kube.ClientCA.Server(t, "gate"))
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: kube.ClientCA.Pool()}}
	proxy.FlushInterval = -1
	proxy.ModifyResponse = g.edit
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
	g.handler = http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
		if held := g.holds(); held != nil {
			select {
			case <-held:
			case <-request.Context().Done():
				return
			}
		}
		if told := g.tells(); told != nil && strings.HasPrefix(request.URL.Path, trustPath) {
			told.ServeHTTP(w, request)
			return
		}
		proxy.ServeHTTP(w, request)
	})
	t.Cleanup(g.close)
	return g
}

// certify sets the certificate for new connections.
func (g *gate) certify(t *testing.T, pair harness.Pair) {
	t.Helper()
	certificate, err := tls.LoadX509KeyPair(pair.CertFile, pair.KeyFile)
	require.NoError(t, err)
	g.set(func() { g.pair = &certificate })
}

// open accepts connections.
func (g *gate) open(t *testing.T) {
	t.Helper()
	listener, err := net.Listen("tcp", g.address)
	require.NoError(t, err)
	config := &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		g.mu.Lock()
		defer g.mu.Unlock()
		return g.pair, nil
	}}
	server := &http.Server{Handler: g.handler, ErrorLog: log.New(io.Discard, "", 0)}
	g.server, listener = server, tls.NewListener(listener, config)
	go func() { _ = server.Serve(listener) }()
}

// close accepts no connections, and ends open ones.
func (g *gate) close() {
	if g.server != nil {
		_ = g.server.Close()
		g.server = nil
	}
}

// hold delays answers until release is called.
func (g *gate) hold() (release func()) {
	held := make(chan struct{})
	g.set(func() { g.held = held })
	return func() {
		g.set(func() { g.held = nil })
		close(held)
	}
}

// tell replaces the ConfigMap of CAs until truth is called. If data is nil, the
// ConfigMap is missing.
func (g *gate) tell(data map[string]string) (truth func()) {
	told := &toldTrust{data, make(chan struct{})}
	g.set(func() { g.trust = told })
	return func() {
		g.set(func() {
			if g.trust == told {
				g.trust = nil
			}
		})
		close(told.over)
	}
}

func (g *gate) set(change func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change()
}

func (g *gate) holds() chan struct{} {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.held
}

func (g *gate) tells() *toldTrust {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.trust
}

// edit changes an answer of kube-apiserver.
func (g *gate) edit(response *http.Response) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	response.Header.Set("Date", time.Now().Add(g.ahead).UTC().Format(http.TimeFormat))
	return nil
}

const (
	trustPath = "/api/v1/namespaces/kube-system/configmaps"
)

// ServeHTTP answers a get, list or watch.
func (t *toldTrust) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	configMap := corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: trustName, ResourceVersion: "1"},
		Data:       t.data,
	}
	list := corev1.ConfigMapList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMapList"}, ListMeta: metav1.ListMeta{ResourceVersion: "1"}}
	if t.data != nil {
		list.Items = []corev1.ConfigMap{configMap}
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, nil, nil, json.SerializerOptions{})
	write := func(object runtime.Object) { _ = encoder.Encode(object, w) } // the client may have disconnected
	switch {
	case request.URL.Query().Get("watch") != "":
		w.WriteHeader(http.StatusOK)
		_ = http.NewResponseController(w).Flush()
		select {
		case <-t.over:
		case <-request.Context().Done():
		}
	case !strings.HasSuffix(request.URL.Path, trustName):
		write(&list)
	case t.data == nil:
		w.WriteHeader(http.StatusNotFound)
		status := apierrors.NewNotFound(corev1.Resource("configmaps"), trustName).Status()
		write(&status)
	default:
		write(&configMap)
	}
}
