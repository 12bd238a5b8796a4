package harness

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"
)

// probe asks one health endpoint.
type probe struct {
	url    string
	token  string // bearer token; empty: anonymous
	client *http.Client
}

// newProbe does not check the server's certificate: it is asked before its
// certificate is known, and only whether it is ready.
func newProbe(url, token string) probe {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return probe{url: url, token: token, client: &http.Client{Transport: transport, Timeout: 5 * time.Second}}
}

// ok returns nil if the endpoint answers 200, else what it answered.
func (p probe) ok(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, p.url, nil)
	if err != nil {
		return err
	}
	if p.token != "" {
		request.Header.Set("Authorization", "Bearer "+p.token)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, attachedBytes))
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s answered %s: %s", p.url, response.Status, body)
	}
	return nil
}
