package server

import (
	"fmt"
	"net/http"

	"github.com/emicklei/go-restful/v3"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/apiserver/pkg/endpoints/discovery"
	"k8s.io/apiserver/pkg/endpoints/handlers/negotiation"
	"k8s.io/apiserver/pkg/endpoints/handlers/responsewriters"
	apiopenapi "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	"k8s.io/component-base/compatibility"
	"k8s.io/kube-openapi/pkg/spec3"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/openapi"
)

// installDiscovery serves /apis and /api. The library's /apis would lack the apiVersion that
// kube-apiserver's has. /api lists the core version v1, with no resources: kubectl applies and edits
// several objects in one document as a List of v1, which it rejects if the server does not list the
// version.
func installDiscovery(apiserver *genericapiserver.GenericAPIServer, codecs serializer.CodecFactory) {
	versions, container := apiserver.AggregatedLegacyDiscoveryGroupManager, apiserver.Handler.GoRestfulContainer
	list := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		groups, err := apiserver.DiscoveryGroupManager.Groups(r.Context(), r)
		if err != nil {
			responsewriters.InternalError(w, r, err)
			return
		}
		responsewriters.WriteObjectNegotiated(codecs, negotiation.DefaultEndpointRestrictions, schema.GroupVersion{}, w, r, http.StatusOK, &metav1.APIGroupList{Groups: groups}, false)
	})
	groups := aggregatedDiscovery(list, apiserver.AggregatedDiscoveryGroupManager)
	container.Add(groups.GenerateWebService(discovery.APIGroupPrefix, metav1.APIGroupList{}))

	versions.AddGroupVersion(corev1.GroupName, apidiscoveryv2.APIVersionDiscovery{
		Version:   corev1.SchemeGroupVersion.Version,
		Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent,
	})
	addresses := discovery.DefaultAddresses{DefaultAddress: apiserver.ExternalAddress}
	root := aggregatedDiscovery(discovery.NewLegacyRootAPIHandler(addresses, codecs, "/api"), versions)
	core := new(restful.WebService).Path("/api/v1").Doc("get available resources")
	nothing := discovery.APIResourceListerFunc(func() []metav1.APIResource { return []metav1.APIResource{} })
	discovery.NewAPIVersionHandler(codecs, corev1.SchemeGroupVersion, nothing).AddToWebService(core)
	container.Add(root.GenerateWebService("/api", metav1.APIVersions{})).Add(core)
	apiserver.Handler.NonGoRestfulMux.NotFoundHandler(http.NotFoundHandler()) // the library's lists all paths
}

// effectiveVersion is what /version returns: the Kubernetes release, which tells clients what they
// may ask for, with this server's release in the build metadata.
type effectiveVersion struct {
	compatibility.EffectiveVersion
}

var _ compatibility.EffectiveVersion = effectiveVersion{}

func (v effectiveVersion) Info() *apimachineryversion.Info {
	info := v.EffectiveVersion.Info()
	if info != nil {
		info.GitVersion = fmt.Sprintf("%s+flowcontrol-apiserver.%s", kubernetesVersion, productVersion)
	}
	return info
}

// describeAPI configures the OpenAPI documents. They describe bearer tokens as kube-apiserver's do;
// for this the library adds 401 to each operation.
func describeAPI(generic *genericapiserver.Config, scheme *runtime.Scheme) {
	const title, method, header, description = "flowcontrol-apiserver", "BearerToken", "authorization", "Bearer Token authentication"
	namer := apiopenapi.NewDefinitionNamer(scheme)
	generic.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(openapi.GetOpenAPIDefinitions, namer)
	generic.OpenAPIConfig.Info.Title = title
	generic.OpenAPIConfig.SecurityDefinitions = &spec.SecurityDefinitions{method: {SecuritySchemeProps: spec.SecuritySchemeProps{
		Type: "apiKey", Name: header, In: "header", Description: description,
	}}}
	generic.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(openapi.GetOpenAPIDefinitions, namer)
	generic.OpenAPIV3Config.Info.Title = title
	generic.OpenAPIV3Config.SecuritySchemes = spec3.SecuritySchemes{method: {SecuritySchemeProps: spec3.SecuritySchemeProps{
		Type: "apiKey", Name: header, In: "header", Description: description,
	}}}
}
