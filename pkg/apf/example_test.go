package apf_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"

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
	"k8s.io/client-go/kubernetes/fake"
	restclient "k8s.io/client-go/rest"
	"k8s.io/component-base/compatibility"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"
)

// A server built on k8s.io/apiserver adopts the engine with one line, marked
// below. The stored configuration gives the user runaway a priority level
// without seats.
func Example() {
	// In production: a client of the server that stores the configuration.
	client := fake.NewClientset(shutOutLevel(), shutOutSchema())
	factory := informers.NewSharedInformerFactory(client, 0)

	config := recommendedConfig()
	config.SharedInformerFactory = factory // the server starts it
	flowControl, err := apf.New(apf.ConfigFor(factory, client.FlowcontrolV1(), 100))
	if err != nil {
		panic(err)
	}
	config.FlowControl = flowControl // <- the one line

	server, err := config.Complete().New("example", genericapiserver.NewEmptyDelegate())
	if err != nil {
		panic(err)
	}
	server.Handler.NonGoRestfulMux.HandleFunc("/hello", func(http.ResponseWriter, *http.Request) {})

	// In production: server.PrepareRun().RunWithContext(ctx).
	ctx, stop := context.WithCancel(context.Background())
	server.PrepareRun().RunPostStartHooks(ctx)
	defer factory.Shutdown()
	defer stop()
	<-flowControl.Applied() // the stored configuration is in force

	for _, name := range []string{"alice", "runaway"} {
		request := httptest.NewRequest(http.MethodGet, "/hello", nil)
		request.SetBasicAuth(name, "")
		response := httptest.NewRecorder()
		server.Handler.ServeHTTP(response, request)
		fmt.Println(name, response.Code, http.StatusText(response.Code))
	}

	// Output:
	// alice 200 OK
	// runaway 429 Too Many Requests
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
