package harness

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Reply is a response with its whole body.
type Reply struct {
	Code   int
	Header http.Header
	Body   string
}

// Status decodes the reply, which must be a Status of its code.
func (r Reply) Status(t TB) metav1.Status {
	t.Helper()
	var status metav1.Status
	r.Decode(t, &status)
	if status.Kind != "Status" || int(status.Code) != r.Code {
		t.Fatalf("this is no Status of code %d: %s", r.Code, r.Body)
	}
	return status
}

// Warnings returns the values of the Warning headers.
func (r Reply) Warnings() []string { return r.Header.Values("Warning") }

// Decode decodes the body as JSON.
func (r Reply) Decode(t TB, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.Body), into); err != nil {
		t.Fatalf("%v in %s", err, r.Body)
	}
}

// Send sends one request. Headers have the form "Name: value". The default
// Content-Type of a body is JSON.
func Send(ctx context.Context, client *http.Client, method, url, body string, headers ...string) (Reply, error) {
	request, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return Reply{}, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	for _, header := range headers {
		name, value, _ := strings.Cut(header, ": ")
		request.Header.Set(name, value)
	}
	response, err := client.Do(request)
	if err != nil {
		return Reply{}, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return Reply{response.StatusCode, response.Header, string(content)}, err
}
