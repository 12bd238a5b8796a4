package traffic

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"time"

	utilnet "k8s.io/apimachinery/pkg/util/net"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/measurement"
)

// Target is a server under load.
type Target struct {
	url                    string
	transport, multiplexed http.RoundTripper
}

// NewTarget returns the server of a kubeconfig's current context. It ignores the kubeconfig's user, so
// users authenticate with tokens.
func NewTarget(kubeconfig string) (*Target, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	return TargetOf(rest.AnonymousClientConfig(config))
}

// idleConnections is more than any load keeps busy.
const idleConnections = 1 << 16

// TargetOf returns the server of a client configuration. All requests carry the credentials of the
// configuration. Concurrent requests share no connection, as if many programs sent them: each has its own,
// HTTP/1.1, which later requests reuse.
func TargetOf(config *rest.Config) (*Target, error) {
	tlsConfig, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, fmt.Errorf("the certificates for %s: %w", config.Host, err)
	}
	transport := func(multiplexed bool) http.RoundTripper {
		var protocols http.Protocols
		protocols.SetHTTP1(!multiplexed)
		protocols.SetHTTP2(multiplexed)
		wrapped, failure := rest.HTTPWrappersForConfig(config, &http.Transport{
			TLSClientConfig: tlsConfig.Clone(), MaxIdleConnsPerHost: idleConnections, Protocols: &protocols,
		})
		err = errors.Join(err, failure)
		return wrapped
	}
	t := &Target{url: strings.TrimRight(config.Host, "/"), transport: transport(false), multiplexed: transport(true)}
	if err != nil {
		return nil, fmt.Errorf("the credentials for %s: %w", config.Host, err)
	}
	return t, nil
}

// TargetIn returns a handler in this process as a target. It runs in virtual time inside a bubble of
// testing/synctest. As over HTTP, the handler learns when the client leaves, not when it will.
func TargetIn(handler http.Handler) *Target {
	return &Target{url: "https://handler", transport: inProcess{handler}, multiplexed: inProcess{handler}}
}

type inProcess struct{ handler http.Handler }

// RoundTrip implements http.RoundTripper.
func (p inProcess) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, done := &recorded{ResponseRecorder: httptest.NewRecorder()}, make(chan struct{})
	ctx, left := context.WithCancel(context.WithoutCancel(r.Context()))
	defer left()
	received := r.Clone(ctx)
	received.RequestURI, received.RemoteAddr = r.URL.RequestURI(), "192.0.2.1:1234"
	var panicked any
	go func() {
		defer close(done)
		defer func() { panicked = recover() }() // as a server of net/http, which then closes the connection
		p.handler.ServeHTTP(answer, received)
	}()
	select {
	case <-done:
		if panicked != nil {
			return nil, fmt.Errorf("the handler panicked: %v", panicked)
		}
		return answer.Result(), nil
	case <-r.Context().Done():
		return nil, r.Context().Err()
	}
}

// recorded is an answer with the first bytes of its body. Nobody needs the others.
type recorded struct{ *httptest.ResponseRecorder }

// Write implements http.ResponseWriter.
func (r *recorded) Write(body []byte) (int, error) {
	const kept = 1 << 10
	_, err := r.ResponseRecorder.Write(body[:min(len(body), max(0, kept-r.Body.Len()))])
	return len(body), err
}

// Close closes idle connections.
func (t *Target) Close() {
	for _, transport := range []http.RoundTripper{t.transport, t.multiplexed} {
		utilnet.CloseIdleConnectionsFor(transport)
	}
}

// User sends requests.
type User struct {
	// Token authenticates the user.
	Token string
	// Name and Groups are impersonated, if there is no token. A user without a name sends the
	// credentials of the target alone.
	Name   string
	Groups []string
}

func (u User) sign(r *http.Request) {
	if u.Token != "" {
		r.Header.Set("Authorization", "Bearer "+u.Token)
		return
	}
	if u.Name != "" {
		r.Header.Set("Impersonate-User", u.Name)
	}
	for _, group := range u.Groups {
		r.Header.Add("Impersonate-Group", group)
	}
}

// Tokened returns users who authenticate with their names.
func Tokened(count int, nameOf func(int) string) (users []User) {
	for i := range count {
		users = append(users, User{Token: nameOf(i)})
	}
	return users
}

// Timeout is the patience of ordinary clients.
const Timeout = 30 * time.Second

// Request is what a user asks. The zero value of Method is GET.
type Request struct {
	Method, Path string
	// Body is sent as JSON, unless Header says otherwise.
	Body   string
	Header map[string]string
}

// Do sends a request and returns its answer with the whole body.
func (t *Target) Do(ctx context.Context, who User, what Request) (status int, header http.Header, body []byte, err error) {
	var content bytes.Buffer
	status, header, err = t.send(ctx, t.transport, who, what, &content)
	return status, header, content.Bytes(), err
}

// Open sends a request over HTTP/2 and returns the answer. The caller closes its body.
func (t *Target) Open(ctx context.Context, who User, what Request) (*http.Response, error) {
	return t.open(ctx, t.multiplexed, who, what)
}

func (t *Target) open(ctx context.Context, over http.RoundTripper, who User, what Request) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, what.Method, t.url+what.Path, strings.NewReader(what.Body))
	if err != nil {
		return nil, err
	}
	if what.Body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range what.Header {
		r.Header.Set(name, value)
	}
	who.sign(r)
	return over.RoundTrip(r)
}

// send sends a request, and writes the body of the answer.
func (t *Target) send(ctx context.Context, over http.RoundTripper, who User, what Request, body io.Writer) (status int, header http.Header, err error) {
	response, err := t.open(ctx, over, who, what)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if _, err := io.Copy(body, response.Body); err != nil {
		return 0, nil, fmt.Errorf("reading the answer of %s: %w", what.Path, err)
	}
	return response.StatusCode, response.Header, nil
}

// try sends a request once. A patience of 0 has no end.
func (t *Target) try(ctx context.Context, multiplexed bool, who User, what Request, patience time.Duration) measurement.Sample {
	trying, cancel := ctx, context.CancelFunc(func() {})
	if patience > 0 {
		trying, cancel = context.WithTimeout(ctx, patience)
	}
	defer cancel()
	began := time.Now()
	over := t.transport
	if multiplexed {
		over = t.multiplexed
	}
	status, header, err := t.send(trying, over, who, what, io.Discard)
	sample := measurement.Sample{Took: time.Since(began), Status: status}
	if err != nil {
		sample.Left = trying.Err() != nil
		if !sample.Left {
			sample.Err = err
		}
		return sample
	}
	seconds, _ := strconv.Atoi(header.Get("Retry-After")) // 0 without the header
	sample.RetryAfter = time.Duration(seconds) * time.Second
	return sample
}
