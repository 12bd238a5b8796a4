package harness

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"
)

// probe requests one health endpoint.
type probe struct {
	url    string
	token  string // bearer token; empty: anonymous
	client *http.Client
}

// newProbe does not verify the server's certificate: a probe may run before the
// certificate is known, and it only reads readiness.
func newProbe(url, token string) probe {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	return probe{url: url, token: token, client: &http.Client{Transport: transport, Timeout: 5 * time.Second}}
}

// ok returns nil if the endpoint answers 200, otherwise an error with the answer.
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
