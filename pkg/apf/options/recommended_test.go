package options_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/apiserver/pkg/authentication/request/anonymous"
	"k8s.io/apiserver/pkg/authorization/authorizerfactory"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/options"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// cluster is a kube-apiserver that forbids everything, or lets objects of flow control be read.
type cluster struct {
	*httptest.Server
	permits  atomic.Bool
	requests atomic.Int64 // for objects of flow control
	// kubeconfig is a file, of a server that it knows.
	kubeconfig string
}

func newCluster() *cluster {
	c := &cluster{}
	c.Server = httptest.NewServer(c)
	file, err := os.CreateTemp("", "*.kubeconfig")
	if err != nil {
		panic(err)
	}
	c.kubeconfig = file.Name()
	config := clientcmdapi.NewConfig()
	config.Clusters["cluster"] = &clientcmdapi.Cluster{Server: c.URL}
	config.Contexts["server"] = &clientcmdapi.Context{Cluster: "cluster"}
	config.CurrentContext = "server"
	if err := errors.Join(file.Close(), clientcmd.WriteToFile(*config, c.kubeconfig)); err != nil {
		panic(err)
	}
	return c
}

func (c *cluster) close() {
	c.Close()
	if err := os.Remove(c.kubeconfig); err != nil {
		panic(err)
	}
}

// ServeHTTP implements http.Handler.
func (c *cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	resource, ours := strings.CutPrefix(r.URL.Path, "/apis/flowcontrol.apiserver.k8s.io/v1/")
	if ours {
		c.requests.Add(1)
	}
	w.Header().Set("Content-Type", "application/json")
	var answer any
	switch {
	case !ours || !c.permits.Load():
		answer = &metav1.Status{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure,
			Code: http.StatusForbidden, Reason: metav1.StatusReasonForbidden, Message: resource + " is forbidden",
		}
		w.WriteHeader(http.StatusForbidden)
	case r.URL.Query().Has("watch"):
		if r.URL.Query().Has("sendInitialEvents") { // informers ask for it since 0.35
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		<-r.Context().Done()
		return
	case resource == "flowschemas":
		answer = &flowcontrolv1.FlowSchemaList{
			TypeMeta: metav1.TypeMeta{APIVersion: "flowcontrol.apiserver.k8s.io/v1", Kind: "FlowSchemaList"},
			ListMeta: metav1.ListMeta{ResourceVersion: "1"}, Items: []flowcontrolv1.FlowSchema{*bootstrap.MandatoryFlowSchemaCatchAll},
		}
	default:
		answer = &flowcontrolv1.PriorityLevelConfigurationList{
			TypeMeta: metav1.TypeMeta{APIVersion: "flowcontrol.apiserver.k8s.io/v1", Kind: "PriorityLevelConfigurationList"},
			ListMeta: metav1.ListMeta{ResourceVersion: "1"},
		}
	}
	if err := json.NewEncoder(w).Encode(answer); err != nil {
		return // the client has left
	}
}

// newRecommended returns RecommendedOptions by default, without etcd, listener and delegation, with
// the kubeconfig of a cluster.
func newRecommended(c *cluster) (*genericoptions.RecommendedOptions, *genericapiserver.RecommendedConfig) {
	o := genericoptions.NewRecommendedOptions("/registry", nil)
	o.Etcd, o.SecureServing, o.Authentication, o.Authorization, o.Admission = nil, nil, nil, nil, nil
	o.CoreAPI.CoreAPIKubeconfigPath = c.kubeconfig
	config := genericapiserver.NewRecommendedConfig(scheme.Codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	config.ExternalAddress = "127.0.0.1:443"
	config.LoopbackClientConfig = &rest.Config{}
	config.SkipOpenAPIInstallation = true
	return o, config
}

// start runs all of a server but its listener, until stop is called. Everybody may use it.
func start(config *genericapiserver.RecommendedConfig) (server *genericapiserver.GenericAPIServer, stop func()) {
	config.Authentication.Authenticator = anonymous.NewAuthenticator(nil)
	config.Authorization.Authorizer = authorizerfactory.NewAlwaysAllowAuthorizer()
	server, err := config.Complete().New("server", genericapiserver.NewEmptyDelegate())
	if err != nil {
		panic(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	server.PrepareRun().RunPostStartHooks(ctx)
	return server, cancel
}

func awaitReady(server *genericapiserver.GenericAPIServer) {
	failures := eventually.Within(context.Background(), func(a *eventually.Attempt) {
		recorder := httptest.NewRecorder()
		server.Handler.ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, "/readyz?verbose", http.NoBody))
		require.Equal(a, http.StatusOK, recorder.Code, recorder.Body)
	})
	if failures != "" {
		panic(failures)
	}
}

func TestTheClusterIsFollowedWithTheKubeconfigOfTheServer(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "") // outside a pod
	cluster := newCluster()
	defer cluster.close()
	recommended, config := newRecommended(cluster)
	recommended.Features.EnablePriorityAndFairness = false
	require.NoError(t, recommended.ApplyTo(config))
	flowControl := options.NewOptions()
	flags := pflag.NewFlagSet("server", pflag.ContinueOnError)
	flowControl.AddFlags(flags)
	require.NoError(t, flags.Parse([]string{"--flow-control-from-cluster"}))
	require.NoError(t, flowControl.ApplyToRecommended(config))
	server, stop := start(config)
	defer stop()
	status := config.FlowControl.(*options.FlowControl).Status

	awaitReady(server)
	eventually.Holds(t, "the server says what is wrong", func(a *eventually.Attempt) {
		assert.Equal(a, options.Source("built-in"), status().Source)
		require.Contains(a, status().Problems["cluster"], "forbidden")
	})
	cluster.permits.Store(true)
	eventually.Holds(t, "the objects of the cluster are in force", func(a *eventually.Attempt) {
		require.Equal(a, options.Source("cluster"), status().Source)
		require.Empty(a, status().Problems)
	})
}
