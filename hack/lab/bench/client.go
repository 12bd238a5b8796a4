package main

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// collection is the resource of all requests.
const collection = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// client is an HTTP client with its own connection.
type client struct {
	http *http.Client
	base string
}

func newClients(o *harness.Owner, config *rest.Config, count int) []*client {
	clients := make([]*client, 0, count)
	for range count {
		tlsConfig, err := rest.TLSConfigFor(config)
		o.Check(err)
		transport := &http.Transport{TLSClientConfig: tlsConfig, ForceAttemptHTTP2: true}
		o.Cleanup(transport.CloseIdleConnections)
		wrapped, err := rest.HTTPWrappersForConfig(config, transport)
		o.Check(err)
		clients = append(clients, &client{http: &http.Client{Transport: wrapped}, base: config.Host})
	}
	return clients
}

// request is an HTTP request. An empty media type means JSON.
type request struct {
	method, path        string
	body                []byte
	accept, contentType string
	// plain disables compression, which net/http requests by default.
	plain bool
}

// send sends a request and returns the successful answer. The caller closes its
// body.
func (c *client) send(ctx context.Context, r request) (*http.Response, error) {
	asked, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, bytes.NewReader(r.body))
	if err != nil {
		return nil, err
	}
	asked.Header.Set("Accept", cmp.Or(r.accept, "application/json"))
	if len(r.body) > 0 {
		asked.Header.Set("Content-Type", cmp.Or(r.contentType, "application/json"))
	}
	if r.plain {
		asked.Header.Set("Accept-Encoding", "identity")
	}
	response, err := c.http.Do(asked)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1024))
		return nil, fmt.Errorf("%s %s: %s: %s", r.method, r.path, response.Status, text)
	}
	return response, nil
}

// drain sends a request and reads the successful answer to its end.
func (c *client) drain(ctx context.Context, r request) error {
	response, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// do sends a request in JSON and reads the answer to its end.
func (c *client) do(ctx context.Context, method, path string, body []byte) error {
	return c.drain(ctx, request{method: method, path: path, body: body})
}

// flowSchema is a FlowSchema with a label. It matches no request. The
// precedence is from 1 to 10000.
func flowSchema(name, label, value string, precedence int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema",`+
		`"metadata":{"name":%q,"labels":{%q:%q}},`+
		`"spec":{"priorityLevelConfiguration":{"name":"workload-low"},"matchingPrecedence":%d,`+
		`"distinguisherMethod":{"type":"ByUser"},"rules":[{`+
		`"subjects":[{"kind":"User","user":{"name":"bench:nobody"}}],`+
		`"resourceRules":[{"verbs":["get","list","watch"],"apiGroups":["example.com"],"resources":["widgets"],"namespaces":["*"]}]}]}}`,
		name, label, value, precedence)
}
