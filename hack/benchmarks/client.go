package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// collection is the resource of all requests.
const collection = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// client is an HTTP client with a connection of its own.
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

// open sends a request and returns the body of a successful answer.
func (c *client) open(ctx context.Context, method, path string, body []byte) (io.ReadCloser, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept", "application/json")
	if len(body) > 0 {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1024))
		return nil, fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return response.Body, nil
}

// do sends a request and reads the answer to its end.
func (c *client) do(ctx context.Context, method, path string, body []byte) error {
	answer, err := c.open(ctx, method, path, body)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Close() }()
	_, err = io.Copy(io.Discard, answer)
	return err
}

// flowSchema is a schema that matches nobody's requests; precedence is from 1
// to 10000.
func flowSchema(name, group string, precedence int) []byte {
	return fmt.Appendf(nil, `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema",`+
		`"metadata":{"name":%q,"labels":{"bench":%q}},`+
		`"spec":{"priorityLevelConfiguration":{"name":"workload-low"},"matchingPrecedence":%d,`+
		`"distinguisherMethod":{"type":"ByUser"},"rules":[{`+
		`"subjects":[{"kind":"User","user":{"name":"bench:nobody"}}],`+
		`"resourceRules":[{"verbs":["get","list","watch"],"apiGroups":["example.com"],"resources":["widgets"],"namespaces":["*"]}]}]}}`,
		name, group, precedence)
}
