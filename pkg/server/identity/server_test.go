package identity

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/filters"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/server"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"
	"k8s.io/client-go/rest"
	cliflag "k8s.io/component-base/cli/flag"

	serverfilters "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/server/filters"
)

// objects is a resource path. Reading it requires authorization.
const objects = "/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"

// newTestOptions parses flags, outside of a cluster.
func newTestOptions(t *testing.T, flags ...string) *Options {
	t.Helper()
	options := NewOptions()
	options.InCluster = func() (*rest.Config, error) { return nil, rest.ErrNotInCluster }
	require.NoError(t, parse(options, flags...))
	return options
}

func parse(options *Options, flags ...string) error {
	var sets cliflag.NamedFlagSets
	options.AddFlags(&sets)
	all := pflag.NewFlagSet("test", pflag.ContinueOnError)
	for _, set := range sets.FlagSets {
		all.AddFlagSet(set)
	}
	return all.Parse(flags)
}

// testServer is a server on the loopback with the authentication and
// authorization of some options. It responds with the authenticated user.
type testServer struct {
	t   *testing.T
	web *httptest.Server
}

// answer is the response of a testServer.
type answer struct {
	Status int
	User   user.DefaultInfo
}

// applied holds the values that ApplyTo sets.
type applied struct {
	authentication server.AuthenticationInfo
	authorization  server.AuthorizationInfo
	serving        server.SecureServingInfo
}

// apply validates and applies the options, as a starting server does.
func apply(t *testing.T, options *Options, ownCAFile string) (*applied, error) {
	t.Helper()
	require.Empty(t, options.Validate())
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	result := &applied{}
	err := options.ApplyTo(ctx, &result.authentication, &result.authorization, &result.serving, ownCAFile)
	if controller, ok := result.serving.ClientCA.(dynamiccertificates.ControllerRunner); ok && err == nil {
		go controller.Run(ctx, 1)
	}
	return result, err
}

// nobody is a client without credentials.
var nobody = &user.DefaultInfo{Name: user.Anonymous, Groups: []string{user.AllUnauthenticated}}

// decider returns what the authorizer of some flags decides about a request of a user.
func decider(t *testing.T, flags ...string) func(user.Info, authorizer.AttributesRecord) authorizer.Decision {
	t.Helper()
	applied, err := apply(t, newTestOptions(t, flags...), "")
	require.NoError(t, err)
	return func(who user.Info, attributes authorizer.AttributesRecord) authorizer.Decision {
		attributes.User = who
		decision, _, err := applied.authorization.Authorizer.Authorize(t.Context(), attributes)
		require.NoError(t, err)
		return decision
	}
}

func newTestServer(t *testing.T, options *Options, ownCAFile string) *testServer {
	t.Helper()
	applied, err := apply(t, options, ownCAFile)
	require.NoError(t, err)
	authentication := applied.authentication

	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	codecs := serializer.NewCodecFactory(scheme)
	handler := http.Handler(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		for _, header := range []string{"Authorization", "X-Remote-User", "X-Who"} {
			if req.Header.Get(header) != "" {
				t.Errorf("authentication must remove the header %s", header)
			}
		}
		info, _ := request.UserFrom(req.Context())
		if err := json.NewEncoder(w).Encode(user.DefaultInfo{Name: info.GetName(), UID: info.GetUID(), Groups: info.GetGroups()}); err != nil {
			t.Error(err)
		}
	}))
	handler = filters.WithAuthorization(handler, applied.authorization.Authorizer, codecs)
	handler = filters.WithAuthentication(handler, authentication.Authenticator, filters.Unauthorized(codecs), authentication.APIAudiences, authentication.RequestHeaderConfig)
	handler = serverfilters.WithReviewAnswers(handler, codecs)
	handler = filters.WithRequestInfo(handler, &request.RequestInfoFactory{APIPrefixes: sets.NewString("api", "apis"), GrouplessAPIPrefixes: sets.NewString("api")})

	web := httptest.NewUnstartedServer(handler)
	web.TLS = &tls.Config{ClientAuth: tls.RequestClientCert}
	web.StartTLS()
	t.Cleanup(web.Close)
	return &testServer{t: t, web: web}
}

// request sends a GET, with a client certificate if there is one.
func (s *testServer) request(path string, certificate *tls.Certificate, headers map[string]string) answer {
	s.t.Helper()
	transport := s.web.Client().Transport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	if certificate != nil {
		transport.TLSClientConfig.Certificates = []tls.Certificate{*certificate}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.web.URL+path, nil)
	require.NoError(s.t, err)
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	response, err := (&http.Client{Transport: transport}).Do(req)
	require.NoError(s.t, err)
	defer func() { _ = response.Body.Close() }()
	result := answer{Status: response.StatusCode}
	if result.Status == http.StatusOK {
		require.NoError(s.t, json.NewDecoder(response.Body).Decode(&result.User))
	}
	return result
}

// withToken sends a GET with a bearer token.
func (s *testServer) withToken(path, token string) answer {
	s.t.Helper()
	return s.request(path, nil, map[string]string{"Authorization": "Bearer " + token})
}
