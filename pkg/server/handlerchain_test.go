package server

import (
	"context"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/tracing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

var updateDocs = flag.Bool("update-docs", false, "write the handler chain into ARCHITECTURE.md")

func TestDrainingBeginsHalfWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const delay = 70 * time.Second
		initiated := make(chan struct{})
		half := draining(initiated, delay)
		<-time.After(time.Hour)
		select {
		case <-half:
			t.Fatal("nobody has asked the server to stop")
		default:
		}
		close(initiated)
		begin := time.Now()
		<-half
		assert.Equal(t, delay/2, time.Since(begin))
	})
}

// chainOf returns the handler chain in front of an API. The credentials "unknown" are not reviewed.
func chainOf(t *testing.T, api http.HandlerFunc) http.Handler {
	t.Helper()
	scheme := install.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	c := genericapiserver.NewConfig(serializer.NewCodecFactory(scheme))
	c.FeatureGate, c.TracerProvider = utilfeature.DefaultFeatureGate, tracing.NewNoopTracerProvider()
	c.RequestInfoResolver = genericapiserver.NewRequestInfoResolver(c)
	c.MergedResourceConfig = serverstorage.NewResourceConfig()
	c.MergedResourceConfig.EnableVersions(schema.GroupVersion{Group: "flowcontrol.apiserver.k8s.io", Version: "v1beta3"})
	c.MaxRequestBodyBytes = 1000
	c.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	c.Authentication.Authenticator = authenticator.RequestFunc(func(r *http.Request) (*authenticator.Response, bool, error) {
		if r.Header.Get("Authorization") == "unknown" {
			filters.FailReview(r.Context(), apierrors.NewTooManyRequests("ask again", 1))
			return nil, false, nil
		}
		return &authenticator.Response{User: &user.DefaultInfo{Name: "alice"}}, true, nil
	})
	addFilters(true, c, []filters.CheckMessage{filters.FailureMessage("full", "make room")})
	return c.BuildHandlerChainFunc(api, c)
}

// TestEachOwnFilterActsInTheChain fails if a filter is missing. A stop shows the one for draining.
func TestEachOwnFilterActsInTheChain(t *testing.T) {
	chain := chainOf(t, func(w http.ResponseWriter, r *http.Request) {
		switch _, err := io.ReadAll(r.Body); {
		case err != nil:
			http.Error(w, err.Error(), http.StatusBadRequest)
		case r.URL.Query().Has("hash"):
			http.Redirect(w, r, "/elsewhere", http.StatusMovedPermanently)
		case r.URL.Path == "/readyz":
			_, _ = io.WriteString(w, "[-]full failed: reason withheld\n")
		default:
			w.WriteHeader(http.StatusNotFound)
		}
	})
	ask := func(method, path, header, body string) *httptest.ResponseRecorder {
		r := httptest.NewRequestWithContext(t.Context(), method, path, strings.NewReader(body))
		name, value, _ := strings.Cut(header, ": ")
		r.Header.Set(name, value)
		w := httptest.NewRecorder()
		chain.ServeHTTP(w, r)
		return w
	}
	aliases := "a: &a " + strings.Repeat("x", 300) + "\nb: [*a, *a, *a, *a]\n"
	reset, cancel := context.WithCancel(t.Context())
	cancel()
	left := httptest.NewRequestWithContext(reset, http.MethodGet, "/", nil)
	left.ProtoMajor = 2
	assert.PanicsWithValue(t, http.ErrAbortHandler, func() { chain.ServeHTTP(httptest.NewRecorder(), left) }, "WithPresentClients")
	assert.Equal(t, http.StatusTooManyRequests, ask(http.MethodGet, "/", "Authorization: unknown", "").Code, "WithReviewAnswers: the library answers 401")
	assert.Contains(t, ask(http.MethodPost, "/", "Content-Type: application/yaml", aliases).Body.String(), "aliases", "WithBoundedAliases")
	gone := ask(http.MethodGet, "/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas/a/none", "Accept: */*", "")
	assert.Contains(t, gone.Header().Get("Warning"), "v1beta3", "WithDeprecationWarnings")
	assert.Equal(t, http.StatusNotFound, ask(http.MethodGet, "/openapi/v3/apis/any?hash=FF", "Accept: */*", "").Code, "WithOpenAPIForAnyHash: no redirect")
	assert.Equal(t, "[-]full failed: make room\n", ask(http.MethodGet, "/readyz", "Accept: */*", "").Body.String(), "WithCheckMessages")
}

const architecture = "../../ARCHITECTURE.md"

// TestArchitectureShowsTheHandlerChain compares the table in ARCHITECTURE.md
// with the list that the chain is built from.
func TestArchitectureShowsTheHandlerChain(t *testing.T) {
	const begin, end = "<!-- handler chain: made by make update-docs -->\n", "<!-- end of handler chain -->\n"
	page, err := os.ReadFile(architecture)
	require.NoError(t, err)
	before, rest, found := strings.Cut(string(page), begin)
	require.True(t, found)
	_, rest, found = strings.Cut(rest, end)
	require.True(t, found)

	written := before + begin + chainTable() + end + rest
	if *updateDocs {
		require.NoError(t, os.WriteFile(architecture, []byte(written), 0o644))
		return
	}
	assert.Equal(t, string(page), written, "ARCHITECTURE.md is not current: run 'make update-docs'")
}

func chainTable() string {
	var table strings.Builder
	table.WriteString("| filter | what it is for |\n|---|---|\n")
	rows := func(inside bool) {
		for _, filter := range chainFilters(&genericapiserver.Config{}, true, nil, nil) {
			if filter.inside == inside {
				fmt.Fprintf(&table, "| `%s` | %s |\n", filter.name, filter.reason)
			}
		}
	}
	rows(false)
	table.WriteString("| `Filter.Around` of `pkg/apf/filter` | passes the request to flow control, and sets Retry-After of a rejection |\n")
	table.WriteString("| the chain of the library | deadline, authentication, audit, impersonation, flow control by `pkg/apf`, authorization |\n")
	table.WriteString("| `Filter.Inside` of `pkg/apf/filter` | measures lists |\n")
	rows(true)
	return table.String()
}
