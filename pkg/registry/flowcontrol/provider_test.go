package flowcontrol

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/registry/generic"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/apiserver/pkg/storage"
	"k8s.io/apiserver/pkg/storage/storagebackend"
	"k8s.io/apiserver/pkg/storage/storagebackend/factory"
	"k8s.io/client-go/tools/cache"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// opened records the key prefixes of the storages and opens store for each. It fails for the
// resource failing.
type opened struct {
	prefixes []string
	failing  string
	store    storage.Interface
}

var errNoStore = errors.New("no store")

func (o *opened) GetRESTOptions(resource schema.GroupResource, _ runtime.Object) (generic.RESTOptions, error) {
	if resource.Resource == o.failing {
		return generic.RESTOptions{}, errNoStore
	}
	return generic.RESTOptions{
		StorageConfig:  (&storagebackend.Config{}).ForResource(resource),
		ResourcePrefix: resource.Resource,
		Decorator: func(_ *storagebackend.ConfigForResource, prefix string, _ func(runtime.Object) (string, error), _, _ func() runtime.Object,
			_ storage.AttrFunc, _ storage.IndexerFuncs, _ *cache.Indexers,
		) (storage.Interface, factory.DestroyFunc, error) {
			o.prefixes = append(o.prefixes, prefix)
			return o.store, func() {}, nil
		},
	}, nil
}

func provider(options *opened, enabled serverstorage.APIResourceConfigSource) Provider {
	scheme := install.NewScheme()
	return Provider{Scheme: scheme, Codecs: serializer.NewCodecFactory(scheme), Options: options, Enabled: enabled,
		Informers: externalversions.NewSharedInformerFactory(nil, 0).Flowcontrol().V1(), Clock: clock.RealClock{}, Advisor: lint.NewAdvisor(lint.Defaults{}, 0, clock.RealClock{})}
}

func served(t *testing.T, enabled *serverstorage.ResourceConfig) map[string][]string {
	t.Helper()
	info, err := provider(&opened{}, enabled).APIGroupInfo()
	require.NoError(t, err)
	found := map[string][]string{}
	for version, storages := range info.VersionedResourcesStorageMap {
		for path := range storages {
			found[version] = append(found[version], path)
		}
		slices.Sort(found[version])
	}
	return found
}

func all() []string {
	return []string{"flowschemas", "flowschemas/status", "prioritylevelconfigurations", "prioritylevelconfigurations/status"}
}

func TestDisabledVersionsAndResourcesAreNotServed(t *testing.T) {
	version := DefaultResourceConfig()
	version.DisableVersions(flowcontrolv1beta3.SchemeGroupVersion)
	require.Equal(t, map[string][]string{"v1": all()}, served(t, version))

	resource := DefaultResourceConfig()
	resource.DisableResources(flowcontrolv1.SchemeGroupVersion.WithResource("flowschemas"))
	require.Equal(t, map[string][]string{"v1": all()[2:], "v1beta3": all()}, served(t, resource), "a subresource goes with its resource")
}

func TestVersionsShareOneStorageOfEachResource(t *testing.T) {
	options := &opened{}
	info, err := provider(options, DefaultResourceConfig()).APIGroupInfo()
	require.NoError(t, err)
	require.ElementsMatch(t, []string{"/flowschemas", "/prioritylevelconfigurations"}, options.prefixes)
	for _, path := range all() {
		require.Same(t, info.VersionedResourcesStorageMap["v1"][path], info.VersionedResourcesStorageMap["v1beta3"][path], path)
	}
}

func TestStoreErrorsAreReturned(t *testing.T) {
	for _, resource := range []string{"flowschemas", "prioritylevelconfigurations"} {
		_, err := provider(&opened{failing: resource}, DefaultResourceConfig()).APIGroupInfo()
		require.ErrorIs(t, err, errNoStore, resource)
	}
}
