package traffic

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// requestLimit is the client's timeout of a request.
const requestLimit = 30 * time.Second

// Target is a server under load.
type Target struct {
	url string
	tls *tls.Config
}

// NewTarget returns the server of a kubeconfig's current context. It ignores
// the kubeconfig's user.
func NewTarget(kubeconfig string) (*Target, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", kubeconfig, err)
	}
	tlsConfig, err := rest.TLSConfigFor(rest.AnonymousClientConfig(config))
	if err != nil {
		return nil, fmt.Errorf("the authority of %s: %w", kubeconfig, err)
	}
	return &Target{url: config.Host, tls: tlsConfig}, nil
}

// Client is a user's client.
type Client struct {
	token  string
	target *Target
	http   *http.Client
}

// Client returns a client that authenticates with this token. It stands for the many programs
// of a user, which share no connection: each concurrent request has its own, HTTP/1.1, which
// later requests reuse.
func (t *Target) Client(token string) *Client {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &Client{token: token, target: t, http: &http.Client{
		Timeout: requestLimit,
		Transport: &http.Transport{
			TLSClientConfig:     t.tls.Clone(),
			MaxIdleConnsPerHost: 1 << 16,
			Protocols:           &protocols,
		},
	}}
}

// Answer is the server's answer to a request.
type Answer struct {
	Status int
	// RetryAfter is the wait that the server asks of a rejected client.
	RetryAfter time.Duration
}

// Get asks for a path and reads the whole answer.
func (c *Client) Get(ctx context.Context, path string) (Answer, error) {
	return c.Read(ctx, path, func(body io.Reader) error {
		_, err := io.Copy(io.Discard, body)
		return err
	})
}

// Read asks for a path and reads the answer with read.
func (c *Client) Read(ctx context.Context, path string, read func(body io.Reader) error) (Answer, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.target.url+path, nil)
	if err != nil {
		return Answer{}, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.http.Do(request)
	if err != nil {
		return Answer{}, err
	}
	defer func() { _ = response.Body.Close() }()
	err = read(response.Body)
	seconds, _ := strconv.Atoi(response.Header.Get("Retry-After")) // 0 without the header
	return Answer{Status: response.StatusCode, RetryAfter: time.Duration(seconds) * time.Second}, err
}

// Close closes the connections.
func (c *Client) Close() { c.http.CloseIdleConnections() }
