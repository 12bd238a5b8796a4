package options

import (
	"cmp"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/authenticator"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/test/logs"
)

func TestDefaultsAreValidAndFlagsSetEveryOption(t *testing.T) {
	o := NewOptions()
	require.Empty(t, o.Validate())
	require.Equal(t, seatsPerProcessor*runtime.GOMAXPROCS(0), o.seats())
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.AddFlags(flags)
	require.NoError(t, flags.Parse([]string{
		"--flow-control-seats=7", "--flow-control-config=/c", "--flow-control-from-cluster", "--flow-control-list-cost=size", "--flow-control-adaptive", "--flow-control-tenants=service-account-namespaces"}))
	require.Equal(t, &Options{Seats: 7, ConfigPath: "/c", FollowCluster: true, ListCost: "size", Adaptive: true, Tenants: "service-account-namespaces", Clock: o.Clock}, o)
	require.Equal(t, 7, o.seats())
}

func TestInvalidOptionsAreNamedByFlag(t *testing.T) {
	o := NewOptions()
	o.Seats, o.ListCost, o.Tenants = -1, "none", "users"
	errs := o.Validate()
	require.Len(t, errs, 3)
	assert.EqualError(t, errs[0], "--flow-control-seats=-1 must not be negative")
	assert.ErrorContains(t, errs[1], "--flow-control-list-cost=none")
	assert.EqualError(t, errs[2], "--flow-control-tenants=users must be one of none, service-account-namespaces")
	require.Error(t, o.ApplyTo(genericapiserver.NewConfig(codecs())))
	var off *Options
	assert.Empty(t, off.Validate())
	assert.NoError(t, off.ApplyTo(nil), "an author may leave flow control out")
	assert.NoError(t, off.ApplyToRecommended(nil))
	assert.ErrorContains(t, o.ApplyToRecommended(nil), "needs the configuration of a server")
}

func TestAServerWithTheLibrarysEngineIsToldWhatToSetBeforeWhichCall(t *testing.T) {
	config := genericapiserver.NewConfig(codecs())
	client := fake.NewClientset()
	features := genericoptions.NewFeatureOptions() // as in RecommendedOptions
	require.NoError(t, features.ApplyTo(config, client, informers.NewSharedInformerFactory(client, 0)))
	library := config.FlowControl
	require.NotNil(t, library)
	err := NewOptions().ApplyTo(config)
	require.ErrorContains(t, err, "set Features.EnablePriorityAndFairness to false before ApplyTo of RecommendedOptions")
	require.ErrorContains(t, err, "do not pass --enable-priority-and-fairness")
	require.Same(t, library, config.FlowControl)
}

func TestAClusterThatCannotBeFollowedEndsNoServer(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "") // outside a pod
	log := logs.Record(t, "0")
	o := NewOptions()
	o.FollowCluster = true
	_, f := server(t, o, http.NotFoundHandler())
	status := f.Status()
	assert.Equal(t, builtIn, status.Source)
	assert.Contains(t, status.Problems[fromCluster], "outside a pod")
	assert.Contains(t, status.Problems[fromCluster], "call ApplyToRecommended, or set Options.Client")
	assert.Equal(t, 1, complaints(log), log)

	wrong := genericapiserver.NewRecommendedConfig(codecs())
	wrong.ClientConfig = &rest.Config{Host: "https://127.0.0.1:1", TLSClientConfig: rest.TLSClientConfig{CAFile: "missing"}}
	require.NoError(t, o.ApplyToRecommended(wrong))
	assert.Contains(t, wrong.FlowControl.(*FlowControl).Status().Problems[fromCluster], "missing")
}

func TestTheClusterIsFollowedIfTheOptionSaysSo(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	o := NewOptions()
	o.Client = fake.NewClientset()
	_, f := server(t, o, http.NotFoundHandler())
	require.Nil(t, f.cluster, "a client alone is no wish")
	o.FollowCluster = true
	_, f = server(t, o, http.NotFoundHandler())
	require.NotNil(t, f.cluster)
	require.Empty(t, f.Status().Problems)
}

func TestEveryBuiltInFlowSchemaHasAReasonAndItsPriorityLevel(t *testing.T) {
	levels, schemas := BuiltIn()
	require.Len(t, schemas, len(fits()), "every name is one of Kubernetes")
	for _, schema := range schemas {
		assert.NotEmpty(t, fits()[schema.Name])
		assert.True(t, slices.ContainsFunc(levels, func(level *flowcontrolv1.PriorityLevelConfiguration) bool {
			return level.Name == schema.Spec.PriorityLevelConfiguration.Name
		}), schema.Name)
	}
	assert.Contains(t, schemas, bootstrap.MandatoryFlowSchemaExempt)
	assert.Contains(t, schemas, bootstrap.MandatoryFlowSchemaCatchAll)
}

// userHeader names who asks; without it, alice does.
const userHeader = "User"

// server returns a server of the library without an API.
func server(t *testing.T, o *Options, handler http.Handler, changes ...func(*genericapiserver.Config)) (*genericapiserver.GenericAPIServer, *FlowControl) {
	t.Helper()
	config := genericapiserver.NewConfig(codecs())
	config.ExternalAddress = "127.0.0.1:443"
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.LoopbackClientConfig = &rest.Config{}
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	config.Authentication.Authenticator = authenticator.RequestFunc(func(r *http.Request) (*authenticator.Response, bool, error) {
		return &authenticator.Response{User: &user.DefaultInfo{Name: cmp.Or(r.Header.Get(userHeader), "alice"), Groups: []string{user.AllAuthenticated}}}, true, nil
	})
	config.SkipOpenAPIInstallation = true
	for _, change := range changes {
		change(config)
	}
	require.NoError(t, o.ApplyTo(config))
	s, err := config.Complete(nil).New("server", genericapiserver.NewEmptyDelegate())
	require.NoError(t, err)
	s.Handler.NonGoRestfulMux.Handle("/work", handler)
	return s, config.FlowControl.(*FlowControl)
}

func codecs() serializer.CodecFactory { return scheme.Codecs }

func get(t *testing.T, handler http.Handler, path string) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
	require.Equal(t, http.StatusOK, recorder.Code, recorder.Body)
	return recorder.Body.String()
}

func TestAServerHasFlowControlWithItsMetricsAndDebugEndpoints(t *testing.T) {
	o := NewOptions()
	o.Seats = 13
	s, f := server(t, o, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("done")) }))
	require.Equal(t, 13, f.Engine().Total())
	require.Equal(t, "done", get(t, s.Handler, "/work"))

	metrics := get(t, s.Handler, "/metrics")
	assert.Contains(t, metrics, `apiserver_flowcontrol_dispatched_requests_total{flow_schema="global-default",priority_level="global-default"} 2`, "this scrape too")
	assert.Contains(t, metrics, `apf_configuration_source_in_force{source="built-in"} 1`)
	assert.Contains(t, metrics, `apf_configuration_source_problem{source="file"} 0`)
	assert.Contains(t, metrics, "apiserver_audit_event_total", "the library's are there too")
	assert.Contains(t, get(t, s.Handler, statusPath), `"source": "built-in"`)
	assert.Contains(t, get(t, s.Handler, "/debug/api_priority_and_fairness/dump_priority_levels"), "workload-low")
}

func TestDebugEndpointsAndMetricsAreBehindTheAuthorizationOfTheServer(t *testing.T) {
	s, _ := server(t, NewOptions(), http.NotFoundHandler(), func(c *genericapiserver.Config) {
		c.Authorization.Authorizer = authorizerfactory.NewAlwaysDenyAuthorizer()
	})
	for _, path := range []string{statusPath, "/debug/api_priority_and_fairness/dump_requests", "/debug/api_priority_and_fairness/list_costs", "/metrics"} {
		recorder := httptest.NewRecorder()
		s.Handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, path, nil))
		assert.Equal(t, http.StatusForbidden, recorder.Code, path)
	}
}
