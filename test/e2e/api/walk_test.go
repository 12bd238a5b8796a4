package api

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"
)

// pathDifference is an intended difference between the paths that are no resources.
type pathDifference struct {
	// of says in the document which requests have it.
	of string
	// lines matches a line such as "GET /path anonymous 401 text/plain, not 403 application/json".
	lines, reason string
}

// pathDifferences returns all of them. One that no request shows is an error.
func pathDifferences() []pathDifference {
	return []pathDifference{
		{
			"requests without credentials", `anonymous 401 .*, not 40[34] `,
			"Without a kube-apiserver in front, anonymous requests reach health and the version alone; kube-apiserver accepts them everywhere and forbids them.",
		},
		{
			"health checks, without rights", `/(healthz|livez|readyz)\S* (anonymous|nobody) (200|404) .*, not 403 `,
			"Probes may read each check, with HEAD and OPTIONS too; kube-apiserver allows anonymous clients GET of the endpoints.",
		},
		{
			"`/.well-known/openid-configuration`, `/openid/v1/jwks`", `^\S+ /(\.well-known/openid-configuration|openid/v1/jwks)/? administrator .*404 .*, not `,
			"This server issues no tokens of service accounts.",
		},
		{
			"HEAD, OPTIONS and POST of `/apis`", `^(HEAD|OPTIONS|POST) /apis\S* (administrator|nobody) 405 .*, not 200 `,
			"Discovery is GET alone, as in k8s.io/apiserver; kube-apiserver's aggregator ignores the method.",
		},
		{
			"`/apis/` in aggregated discovery", `^GET /apis/ administrator \S*as=APIGroupDiscoveryList\S* 200 .*, not (406|200 application/json  APIGroupList) `,
			"This server serves it with the slash as without; kube-apiserver only without.",
		},
		{
			"`/openapi/v3`", `^\S+ /openapi/v3 (administrator|nobody)\S* .*200 application/json.*, not 200 text/plain`,
			"The index is JSON, and says so.",
		},
		{
			"OpenAPI v3 documents that do not exist, in a representation that none has", `^GET /openapi/v3/\S* administrator application/(yaml|vnd.kubernetes.protobuf) 406, not 404$`,
			"k8s.io/kube-openapi judges the representation first; kube-apiserver's aggregator looks for the document first.",
		},
	}
}

// visit is a request of the walk.
type visit struct {
	method, path, who, accept string
}

// String returns the visit as the patterns of pathDifference have it.
func (v visit) String() string {
	return strings.Join(strings.Fields(v.method+" "+v.path+" "+v.who+" "+v.accept), " ")
}

// walk requests each path of both servers' lists at / that is no group that only
// kube-apiserver serves, with and without a slash at its end, with four methods, as three
// clients, and as the administrator in further representations, on both servers.
func (p *pair) walk(t *testing.T) {
	met := map[string]bool{}
	for _, visit := range visits(p.paths(t)) {
		ours, theirs := p.ours.glance(t, visit), p.peer.glance(t, visit)
		if ours == theirs {
			continue
		}
		line, excused := fmt.Sprintf("%s %s, not %s", visit, ours, theirs), false
		for _, difference := range pathDifferences() {
			if regexp.MustCompile(difference.lines).MatchString(line) {
				met[difference.lines], excused = true, true
			}
		}
		assert.True(t, excused, line)
	}
	for _, difference := range pathDifferences() {
		assert.True(t, met[difference.lines], "no request meets the intended difference %q: take it out", difference.lines)
	}
}

// visits returns the requests for paths.
func visits(paths []string) (all []visit) {
	for _, path := range paths {
		for _, path := range slices.Compact([]string{path, strings.TrimSuffix(path, "/") + "/"}) {
			for _, method := range []string{http.MethodGet, http.MethodHead, http.MethodOptions, http.MethodPost} {
				for _, who := range []string{"administrator", "nobody", "anonymous"} {
					all = append(all, visit{method, path, who, ""})
				}
			}
			for _, accept := range []string{aggregatedType, aggregatedType + ",application/json", "application/yaml", protobufType} {
				all = append(all, visit{http.MethodGet, path, "administrator", accept})
			}
		}
	}
	return all
}

// paths returns the lists of both servers at /, without the groups and versions, and the
// checks, that one of them has alone, and paths that are in no list.
func (p *pair) paths(t *testing.T) []string {
	t.Helper()
	ours, theirs := p.ours.paths(t), p.peer.paths(t)
	others, known := regexp.MustCompile(`^/apis/`), regexp.MustCompile(`^/apis/(flowcontrol\.apiserver|authentication|authorization)\.k8s\.io(/v1)?$`)
	check := regexp.MustCompile(`^/(healthz|livez|readyz)/`)
	paths := []string{
		"/", "/openapi/v3/apis/unknown/v1", "/openapi/v3/version", "/unknown", "/apis/unknown", "/debug/pprof", "/debug/api_priority_and_fairness/dump_queues",
		"/livez/unknown", "/livez/etcd", "/readyz/etcd", "/openapi/v3" + groupPath + "/v1",
	}
	for _, path := range slices.Concat(theirs, ours) {
		both := slices.Contains(ours, path) && slices.Contains(theirs, path)
		if !slices.Contains(paths, path) && (!others.MatchString(path) || known.MatchString(path)) && (!check.MatchString(path) || both) {
			paths = append(paths, path)
		}
	}
	require.Contains(t, paths, "/version")
	require.Contains(t, paths, "/readyz/ping")
	return paths
}

// paths returns the server's list at /.
func (s *side) paths(t *testing.T) []string {
	t.Helper()
	response, err := s.open(t.Context(), http.MethodGet, "/", "", nil)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	var list struct{ Paths []string }
	require.NoError(t, json.NewDecoder(response.Body).Decode(&list))
	return list.Paths
}

// glance returns the status and the type of an answer, and the gist of its body.
func (s *side) glance(t *testing.T, visit visit) string {
	t.Helper()
	client := s.http
	if visit.who == "anonymous" {
		client = s.anonymous
	}
	request, err := http.NewRequestWithContext(t.Context(), visit.method, s.url+visit.path, nil)
	require.NoError(t, err)
	if visit.who == "nobody" { // an authenticated user without rights
		request.Header.Set("Impersonate-User", visit.who)
	}
	if visit.accept != "" {
		request.Header.Set("Accept", visit.accept)
	}
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	found := fmt.Sprintf("%d %s %s", response.StatusCode, response.Header.Get("Content-Type"), response.Header.Get("Allow"))
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return strings.TrimRight(found+" "+gist(response, body), " ")
}

// gist returns what both servers must say alike: an error, a short text, or of an object its
// kind, its version and the names of its fields.
func gist(response *http.Response, body []byte) string {
	const short = 100
	var object map[string]any
	decode := json.Unmarshal
	if response.Header.Get("Content-Type") == "application/yaml" {
		decode = func(body []byte, into any) error { return yaml.Unmarshal(body, into) }
	}
	switch {
	case response.StatusCode >= http.StatusBadRequest:
		return strings.TrimSpace(string(body))
	case decode(body, &object) == nil:
		return fmt.Sprint(object["kind"], " ", object["apiVersion"], " ", sortedKeys(object))
	case len(body) < short && !strings.Contains(response.Header.Get("Content-Type"), "protobuf"):
		return strings.TrimSpace(string(body))
	}
	return ""
}
