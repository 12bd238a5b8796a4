package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"

	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/hack/lab/traffic"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// collection is the resource of all requests.
	collection = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"
	// storePrefix is the etcd key prefix of both servers.
	storePrefix = "/registry"
	// filledSize is the size in bytes of the FlowSchemas that are there.
	filledSize = 1000
)

// fill writes the same count of FlowSchemas into both etcds.
func fill(o *harness.Owner, etcds [2]*harness.Etcd, count int) {
	for _, etcd := range etcds {
		o.Within(func(o *harness.Owner) {
			o.Check(traffic.Fill(o.Context(), etcd.Client(o), storePrefix, count, filledSize))
		})
	}
}

// client sends requests on its own connection of HTTP/2, each with these headers.
type client struct {
	*traffic.Target
	header map[string]string
}

func newClients(o *harness.Owner, config *rest.Config, header map[string]string, count int) (clients []*client) {
	for range count {
		target, err := traffic.TargetOf(config)
		o.Check(err)
		o.Cleanup(target.Close)
		clients = append(clients, &client{target, header})
	}
	return clients
}

// send sends a request and returns the successful answer. The caller closes its
// body.
func (c *client) send(ctx context.Context, r traffic.Request) (*http.Response, error) {
	header := map[string]string{"Accept": "application/json"}
	maps.Copy(header, c.header)
	maps.Copy(header, r.Header)
	r.Header = header
	response, err := c.Open(ctx, traffic.User{}, r)
	if err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusMultipleChoices {
		defer func() { _ = response.Body.Close() }()
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1024))
		return nil, fmt.Errorf("%s %s: %s: %s", r.Method, r.Path, response.Status, text)
	}
	return response, nil
}

// drain sends a request and reads the successful answer to its end.
func (c *client) drain(ctx context.Context, r traffic.Request) error {
	response, err := c.send(ctx, r)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	_, err = io.Copy(io.Discard, response.Body)
	return err
}

// do sends a request in JSON and reads the answer to its end.
func (c *client) do(ctx context.Context, method, path, body string) error {
	return c.drain(ctx, traffic.Request{Method: method, Path: path, Body: body})
}

// flowSchema is a FlowSchema with a label. It matches no request. The
// precedence is from 1 to 10000.
func flowSchema(name, label, value string, precedence int) string {
	return fmt.Sprintf(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema",`+
		`"metadata":{"name":%q,"labels":{%q:%q}},`+
		`"spec":{"priorityLevelConfiguration":{"name":"workload-low"},"matchingPrecedence":%d,`+
		`"distinguisherMethod":{"type":"ByUser"},"rules":[{`+
		`"subjects":[{"kind":"User","user":{"name":"bench:nobody"}}],`+
		`"resourceRules":[{"verbs":["get","list","watch"],"apiGroups":["example.com"],"resources":["widgets"],"namespaces":["*"]}]}]}}`,
		name, label, value, precedence)
}
