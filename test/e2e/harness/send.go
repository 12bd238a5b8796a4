package harness

import (
	"context"
	"io"
	"net/http"
	"strings"
)

// Reply is a response with its whole body.
type Reply struct {
	Code   int
	Header http.Header
	Body   string
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
