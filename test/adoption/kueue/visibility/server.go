// Package visibility has the parts of Kueue's visibility server. Kueue's package of that name
// exports only a function that makes the whole server, with no place for a change.
package visibility

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	openapinamer "k8s.io/apiserver/pkg/endpoints/openapi"
	genericapiserver "k8s.io/apiserver/pkg/server"
	genericoptions "k8s.io/apiserver/pkg/server/options"
	"k8s.io/apiserver/pkg/util/compatibility"
	generatedopenapi "sigs.k8s.io/kueue/apis/visibility/openapi"
	visibility "sigs.k8s.io/kueue/apis/visibility/v1beta2"
	"sigs.k8s.io/kueue/pkg/visibility/storage"
)

// APIs has the types of the group and their forms on the wire.
type APIs struct {
	scheme *runtime.Scheme
	codecs serializer.CodecFactory
}

// NewAPIs returns the APIs of the visibility server.
func NewAPIs() (APIs, error) {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	err := visibility.AddToScheme(scheme)
	return APIs{scheme, serializer.NewCodecFactory(scheme)}, err
}

// Options returns the options of the visibility server.
func (a APIs) Options() *genericoptions.RecommendedOptions {
	o := genericoptions.NewRecommendedOptions("", a.codecs.LegacyCodec(visibility.SchemeGroupVersion))
	o.Etcd = nil
	o.Admission.DisablePlugins = []string{"ValidatingAdmissionPolicy", "MutatingAdmissionPolicy", "ValidatingAdmissionWebhook", "MutatingAdmissionWebhook"}
	return o
}

// Config returns the configuration that the options are applied to.
func (a APIs) Config() *genericapiserver.RecommendedConfig {
	config := genericapiserver.NewRecommendedConfig(a.codecs)
	config.EffectiveVersion = compatibility.DefaultBuildEffectiveVersion()
	namer := openapinamer.NewDefinitionNamer(a.scheme)
	config.OpenAPIConfig = genericapiserver.DefaultOpenAPIConfig(generatedopenapi.GetOpenAPIDefinitions, namer)
	config.OpenAPIV3Config = genericapiserver.DefaultOpenAPIV3Config(generatedopenapi.GetOpenAPIDefinitions, namer)
	return config
}

// Install adds the APIs to the server.
func (a APIs) Install(ctx context.Context, server *genericapiserver.GenericAPIServer) error {
	queues, err := newQueues(ctx, 5_000, 10)
	if err != nil {
		return err
	}
	group := genericapiserver.NewDefaultAPIGroupInfo(visibility.GroupVersion.Group, a.scheme, runtime.NewParameterCodec(a.scheme), a.codecs)
	group.VersionedResourcesStorageMap[visibility.GroupVersion.Version] = storage.NewStorage(queues)
	group.PrioritizedVersions = []schema.GroupVersion{visibility.GroupVersion}
	return server.InstallAPIGroup(&group)
}
