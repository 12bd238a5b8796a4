// Package rest assembles the storages of the flowcontrol group for each enabled
// version.
package rest

import (
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	genericapiserver "k8s.io/apiserver/pkg/server"
	serverstorage "k8s.io/apiserver/pkg/server/storage"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/flowschema"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/prioritylevelconfiguration"
)

// DefaultResourceConfig returns the defaults of --runtime-config: every version and
// resource of the group is enabled.
func DefaultResourceConfig() *serverstorage.ResourceConfig {
	config := serverstorage.NewResourceConfig()
	config.EnableVersions(versions()...)
	return config
}

// Provider provides the storages of the group.
type Provider struct {
	Scheme *runtime.Scheme
	Codecs serializer.CodecFactory
	// Options are the storage options of each resource.
	Options generic.RESTOptionsGetter
	// Enabled selects the versions and resources to serve.
	Enabled serverstorage.APIResourceConfigSource
	// Clock is that of the age column of tables.
	Clock clock.PassiveClock
	// Advisor judges what is written.
	Advisor *lint.Advisor
	// GarbageCollection is rest.Unsupported if no garbage collector removes its
	// finalizers from the objects.
	GarbageCollection rest.GarbageCollectionPolicy
}

// APIGroupInfo returns the group with its storages, which the versions share.
func (p Provider) APIGroupInfo() (*genericapiserver.APIGroupInfo, error) {
	storages, err := p.storages()
	if err != nil {
		return nil, err
	}
	info := genericapiserver.NewDefaultAPIGroupInfo(flowcontrol.GroupName, p.Scheme, runtime.NewParameterCodec(p.Scheme), p.Codecs)
	for _, version := range versions() {
		if served := p.served(version, storages); len(served) > 0 {
			info.VersionedResourcesStorageMap[version.Version] = served
		}
	}
	return &info, nil
}

func (p Provider) storages() (map[string]rest.Storage, error) {
	var schemas *flowschema.REST
	stored := func() lint.Reader { return schemas.Stored() } // schemas and levels are judged beside each other
	levels, levelStatus, err := prioritylevelconfiguration.NewREST(p.Scheme, p.Options, p.Clock, p.Advisor, stored, p.GarbageCollection)
	if err != nil {
		return nil, err
	}
	schemas, schemaStatus, err := flowschema.NewREST(p.Scheme, p.Options, p.Clock, levels, p.Advisor, p.GarbageCollection)
	if err != nil {
		return nil, err
	}
	return map[string]rest.Storage{
		"flowschemas":                        schemas,
		"flowschemas/status":                 schemaStatus,
		"prioritylevelconfigurations":        levels,
		"prioritylevelconfigurations/status": levelStatus,
	}, nil
}

// served returns the storages that are enabled in the version.
func (p Provider) served(version schema.GroupVersion, storages map[string]rest.Storage) map[string]rest.Storage {
	served := map[string]rest.Storage{}
	for path, storage := range storages {
		resource, _, _ := strings.Cut(path, "/")
		if p.Enabled.ResourceEnabled(version.WithResource(resource)) {
			served[path] = storage
		}
	}
	return served
}

// versions returns all versions, the preferred one first.
func versions() []schema.GroupVersion {
	return []schema.GroupVersion{flowcontrolv1.SchemeGroupVersion, flowcontrolv1beta3.SchemeGroupVersion}
}
