package conformance

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pathDifference is an intended difference between the paths that are no resources.
type pathDifference struct {
	// requests matches a line such as "GET /path anonymous 401 text/plain, not 403 application/json".
	requests, reason string
}

// pathDifferences returns all of them. One that no request shows is an error.
func pathDifferences() []pathDifference {
	return []pathDifference{
		{`anonymous 401 .*, not 40[34] `, "Without a kube-apiserver in front, anonymous requests reach health and the version alone; kube-apiserver accepts them everywhere and forbids them."},
		{`/(healthz|livez|readyz)\S* anonymous (200|404) .*, not 403 `, "Probes may read each check, with HEAD and OPTIONS too; kube-apiserver allows anonymous clients GET of the endpoints."},
		{`^\S+ /(\.well-known/openid-configuration|openid/v1/jwks)/? administrator 404 `, "This server issues no tokens of service accounts."},
		{`^(HEAD|OPTIONS|POST) /apis\S* administrator 405 .*, not 200 `, "Discovery is GET alone, as in k8s.io/apiserver; kube-apiserver's aggregator ignores the method."},
		{`^\S+ /openapi/v3 administrator 200 application/json , not 200 text/plain`, "The index is JSON, and says so."},
	}
}

// walk requests each path of kube-apiserver's list at / that is no group that only
// kube-apiserver serves, with and without a slash at its end, with four methods, with and
// without credentials, on both servers. 600 requests take two seconds.
func (p *pair) walk(t *testing.T) {
	met := map[string]bool{}
	for _, path := range p.peer.paths(t) {
		for _, path := range []string{path, strings.TrimSuffix(path, "/") + "/"} {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost} {
				for _, who := range []string{"administrator", "anonymous"} {
					ours, theirs := p.ours.glance(t, method, path, who), p.peer.glance(t, method, path, who)
					if ours == theirs {
						continue
					}
					line, excused := fmt.Sprintf("%s %s %s %s, not %s", method, path, who, ours, theirs), false
					for _, difference := range pathDifferences() {
						if regexp.MustCompile(difference.requests).MatchString(line) {
							met[difference.requests], excused = true, true
						}
					}
					assert.True(t, excused, line)
				}
			}
		}
	}
	for _, difference := range pathDifferences() {
		assert.True(t, met[difference.requests], "no request meets the intended difference %q: take it out", difference.requests)
	}
}

// paths returns the server's list at /, without the groups and checks of other APIs, and
// paths that are not in it.
func (s *side) paths(t *testing.T) []string {
	t.Helper()
	response, err := s.open(t.Context(), http.MethodGet, "/", "", nil)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var list struct{ Paths []string }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&list))
	others := regexp.MustCompile(`^(/apis/|/openapi/v3/|/(healthz|livez|readyz)/)`)
	known := regexp.MustCompile(`^/apis/(flowcontrol\.apiserver|authentication|authorization)\.k8s\.io|/ping$`)
	paths := []string{"/", "/openapi/v3/apis/unknown/v1", "/unknown", "/apis/unknown", "/debug/pprof", "/debug/api_priority_and_fairness/dump_queues"}
	for _, path := range list.Paths {
		if !others.MatchString(path) || known.MatchString(path) {
			paths = append(paths, path)
		}
	}
	require.Contains(t, paths, "/version")
	return paths
}

// glance returns the status and the type of an answer, and the text of an error.
func (s *side) glance(t *testing.T, method, path, who string) string {
	t.Helper()
	client := s.http
	if who == "anonymous" {
		client = &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true}}
	}
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, nil)
	require.NoError(t, err)
	client = &http.Client{Transport: client.Transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	found := fmt.Sprintf("%d %s %s", response.StatusCode, response.Header.Get("Content-Type"), response.Header.Get("Allow"))
	if response.StatusCode < http.StatusBadRequest {
		return found
	}
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return found + " " + strings.TrimSpace(string(body))
}
