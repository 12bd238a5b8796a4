package apf_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/client-go/informers"
	restclient "k8s.io/client-go/rest"
	"k8s.io/component-base/compatibility"
)

// newServerOf returns a server that also serves the path /hello.
func newServerOf(config *genericapiserver.RecommendedConfig) *genericapiserver.GenericAPIServer {
	server, err := config.Complete().New("example", genericapiserver.NewEmptyDelegate())
	if err != nil {
		panic(err)
	}
	server.Handler.NonGoRestfulMux.HandleFunc("/hello", func(http.ResponseWriter, *http.Request) {})
	return server
}

// run runs all of a server but its listener, until stop is called. In production:
// server.PrepareRun().RunWithContext(ctx).
func run(server *genericapiserver.GenericAPIServer, factory informers.SharedInformerFactory) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	server.PrepareRun().RunPostStartHooks(ctx)
	return func() {
		cancel()
		factory.Shutdown()
	}
}

// ask sends a request of a user for a path.
func ask(handler http.Handler, user, path string) *httptest.ResponseRecorder {
	request := httptest.NewRequest(http.MethodGet, path, nil)
	request.SetBasicAuth(user, "")
	response := httptest.NewRecorder()
	handler.ServeHTTP(response, request)
	return response
}

// askAs sends a request of each user and prints the status of the response.
func askAs(handler http.Handler, users ...string) {
	for _, user := range users {
		response := ask(handler, user, "/hello")
		fmt.Println(user, response.Code, http.StatusText(response.Code))
	}
}

// printMetrics prints the members of families at /metrics.
func printMetrics(handler http.Handler, families ...string) {
	for line := range strings.Lines(ask(handler, "prometheus", "/metrics").Body.String()) {
		if name, _, _ := strings.Cut(line, "{"); slices.Contains(families, name) {
			fmt.Print(line)
		}
	}
}

// recommendedConfig returns the library's config. It accepts any user name and
// authorizes every request. A server with its own options fills the config from
// them.
func recommendedConfig() *genericapiserver.RecommendedConfig {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	config := genericapiserver.NewRecommendedConfig(serializer.NewCodecFactory(scheme))
	config.EffectiveVersion = compatibility.NewEffectiveVersionFromString("1.33", "", "")
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = &restclient.Config{}
	config.Authentication.Authenticator = authenticator.RequestFunc(func(r *http.Request) (*authenticator.Response, bool, error) {
		name, _, ok := r.BasicAuth()
		if !ok {
			return nil, false, errors.New("the request has no user name")
		}
		return &authenticator.Response{User: &user.DefaultInfo{Name: name, Groups: []string{user.AllAuthenticated}}}, true, nil
	})
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	return config
}

func shutOutLevel() *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "shut-out"},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(int32(0)),
				LendablePercent:          new(int32(0)),
				BorrowingLimitPercent:    new(int32(0)),
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}
}

func shutOutSchema() *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "shut-out"},
		Spec: flowcontrolv1.FlowSchemaSpec{
			MatchingPrecedence:         500,
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "shut-out"},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: "runaway"}}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{
					Verbs: []string{"*"}, NonResourceURLs: []string{"*"},
				}},
			}},
		},
	}
}
