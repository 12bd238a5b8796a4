package source_test

import (
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/replica"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

const (
	groupPath = "/apis/flowcontrol.apiserver.k8s.io"
	debugPath = "/debug/api_priority_and_fairness/"
)

func now() time.Time { return time.Date(2024, 5, 6, 7, 8, 9, 0, time.UTC) }

// answer is a response of an API server.
type answer struct {
	code int
	body string
}

func ok(body string) answer { return answer{code: http.StatusOK, body: body} }

// rejection returns a Status as kube-apiserver answers.
func rejection(code int, reason, message string) answer {
	return answer{code: code, body: fmt.Sprintf(`{"kind":"Status","apiVersion":"v1","status":"Failure","message":%q,"reason":%q,"code":%d}`, message, reason, code)}
}

func forbidden() answer {
	return rejection(http.StatusForbidden, "Forbidden", `User "alice" cannot do it`)
}

// apiServer answers as a kube-apiserver. A path that it does not have is not found.
type apiServer struct {
	*httptest.Server

	mu        sync.Mutex
	answers   map[string]answer // by path, or by path?continue=TOKEN
	redirects map[string]string // by path
	requests  []*http.Request
}

// standardAnswers are the answers of a new cluster of a release with 600 seats.
func standardAnswers(t *testing.T, release configuration.Release) map[string]answer {
	t.Helper()
	c, err := configuration.BuiltIn(release)
	require.NoError(t, err)
	return map[string]answer{
		"/version":                    ok(`{"major":"1","minor":"33","gitVersion":"v` + string(release) + `.4+k3s1"}`),
		groupPath:                     ok(apiGroup("v1", "v1beta3")),
		groupPath + "/v1/flowschemas": ok(listOf(t, "FlowSchemaList", "", c.FlowSchemas)),
		groupPath + "/v1/prioritylevelconfigurations": ok(listOf(t, "PriorityLevelConfigurationList", "", c.PriorityLevels)),
		"/metrics":                         ok(nominalLimits(600)),
		debugPath + "dump_priority_levels": ok("PriorityLevelName, WaitingRequests\nsystem, 7\n"),
		debugPath + "dump_queues":          ok("PriorityLevelName, Index, PendingRequests\nsystem, 3, 7\n"),
		debugPath + "dump_requests":        ok("PriorityLevelName, FlowSchemaName, UserName\nsystem, system-nodes, node1\n"),
	}
}

func apiGroup(versions ...string) string {
	var all []string
	for _, version := range versions {
		all = append(all, fmt.Sprintf(`{"groupVersion":"flowcontrol.apiserver.k8s.io/%s","version":%q}`, version, version))
	}
	return `{"kind":"APIGroup","apiVersion":"v1","name":"flowcontrol.apiserver.k8s.io","versions":[` + strings.Join(all, ",") + `]}`
}

func listOf[O any](t *testing.T, kind, next string, items []O) string {
	t.Helper()
	body, err := json.Marshal(map[string]any{
		"kind": kind, "apiVersion": "flowcontrol.apiserver.k8s.io/v1", "metadata": map[string]string{"continue": next}, "items": items,
	})
	require.NoError(t, err)
	return string(body)
}

// nominalLimits are metrics of the built-in levels, whose shares are 245 in all.
func nominalLimits(total int) string {
	var out strings.Builder
	for level, shares := range map[string]int{
		"catch-all": 5, "exempt": 0, "global-default": 20, "leader-election": 10, "node-high": 40, "system": 30, "workload-high": 40, "workload-low": 100,
	} {
		fmt.Fprintf(&out, "apiserver_flowcontrol_nominal_limit_seats{priority_level=%q} %d\n", level, (total*shares+244)/245)
	}
	return out.String()
}

func startServer(t *testing.T, answers map[string]answer) *apiServer {
	t.Helper()
	return startServerWith(t, answers, nil)
}

// startServerWith starts a server with certificates; with httptest's if nil.
func startServerWith(t *testing.T, answers map[string]answer, certificates []tls.Certificate) *apiServer {
	t.Helper()
	s := &apiServer{answers: answers}
	s.Server = httptest.NewUnstartedServer(s)
	// Connections that a client gives up are no news.
	s.Config.ErrorLog = log.New(io.Discard, "", 0)
	s.TLS = &tls.Config{Certificates: certificates}
	s.StartTLS()
	t.Cleanup(s.Close)
	return s
}

// ServeHTTP answers a request, whose query matters only if it continues a list.
func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests = append(s.requests, r)
	key := r.URL.Path
	if to := s.redirects[key]; to != "" {
		http.Redirect(w, r, to, http.StatusFound)
		return
	}
	if token := r.URL.Query().Get("continue"); token != "" {
		key += "?continue=" + token
	} else if a, exists := s.answers[key+"?limit="+r.URL.Query().Get("limit")]; exists {
		w.WriteHeader(a.code)
		_, _ = w.Write([]byte(a.body))
		return
	}
	a, exists := s.answers[key]
	if !exists {
		a = answer{code: http.StatusNotFound, body: "404 page not found"}
	}
	if strings.HasPrefix(a.body, "{") {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(a.code)
	_, _ = w.Write([]byte(a.body))
}

// all returns all requests.
func (s *apiServer) all() []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// requestsOf returns the requests for a path.
func (s *apiServer) requestsOf(path string) []*http.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []*http.Request
	for _, r := range s.requests {
		if r.URL.Path == path {
			all = append(all, r)
		}
	}
	return all
}

// clusterOf returns a kubeconfig that names a server, with a token.
func clusterOf(t *testing.T, s *httptest.Server) genericclioptions.RESTClientGetter {
	t.Helper()
	ca := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	return clusterAt(t, s.URL, "example.com", ca)
}

func clusterAt(t *testing.T, url, serverName string, ca []byte) genericclioptions.RESTClientGetter {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ca.crt")
	require.NoError(t, os.WriteFile(path, ca, 0o600))
	return kubeconfig(t, fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: alice}}]
clusters: [{name: test, cluster: {server: %q, certificate-authority: %q, tls-server-name: %q}}]
users: [{name: alice, user: {token: secret}}]
`, url, path, serverName))
}

// unverified is a cluster whose certificates are not verified.
func unverified(t *testing.T, url string) genericclioptions.RESTClientGetter {
	t.Helper()
	return kubeconfig(t, fmt.Sprintf(`apiVersion: v1
kind: Config
current-context: test
contexts: [{name: test, context: {cluster: test, user: alice}}]
clusters: [{name: test, cluster: {server: %q, insecure-skip-tls-verify: true}}]
users: [{name: alice, user: {token: secret}}]
`, url))
}

func kubeconfig(t *testing.T, text string) genericclioptions.RESTClientGetter {
	t.Helper()
	path := filepath.Join(t.TempDir(), "kubeconfig")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	flags := genericclioptions.NewConfigFlags(false)
	flags.KubeConfig = &path
	return flags
}

func newSource(t *testing.T, options source.Options) source.Source {
	t.Helper()
	options.Now = now
	s, err := source.New(options)
	require.NoError(t, err)
	return s
}

// write writes files below a directory.
func write(t *testing.T, directory string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		path := filepath.Join(directory, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o700))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	}
}

func whys(missing []replica.Missing) string {
	var all []string
	for _, m := range missing {
		all = append(all, m.What+": "+m.Why)
	}
	return strings.Join(all, "\n")
}

// configurationOf returns the configuration of a source.
func configurationOf(t *testing.T, options source.Options) configuration.Configuration {
	t.Helper()
	c, err := newSource(t, options).Configuration(t.Context())
	require.NoError(t, err)
	return c
}

// replicasOf returns the replicas of a source, which are so many.
func replicasOf(t *testing.T, count int, options source.Options, want source.Want) []replica.Replica {
	t.Helper()
	states, err := newSource(t, options).Replicas(t.Context(), want)
	require.NoError(t, err)
	require.Len(t, states, count)
	return states
}
