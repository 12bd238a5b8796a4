// Package flowcontrol is the registry of the group: how FlowSchemas and
// PriorityLevelConfigurations are validated, stored, shown and warned of.
//
// A kind has the differences between the two (flowschemas.go, prioritylevels.go). The rest is
// written once: strategies (strategy.go), the storages of a resource and of its status
// (storage.go), tables (table.go), and the stored configuration with which package lint
// compares a write (stored.go). A Provider assembles the storages for each enabled version.
package flowcontrol

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
	informers "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/informers/externalversions/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
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
	// Informers have the stored objects, beside which a write is judged. The caller runs them.
	Informers informers.Interface
	// Clock is for the age column of tables.
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
	info.NegotiatedSerializer = newPieces(info.NegotiatedSerializer)
	for _, version := range versions() {
		if served := p.served(version, storages); len(served) > 0 {
			info.VersionedResourcesStorageMap[version.Version] = served
		}
	}
	return &info, nil
}

func (p Provider) storages() (map[string]rest.Storage, error) {
	var configuration *stored // schemas and levels are judged beside each other
	current := func() lint.Reader { return configuration.current() }
	levels, levelStatus, err := open(priorityLevels(p.Clock, p.Advisor), p.Scheme, p.Options, p.GarbageCollection, current)
	if err != nil {
		return nil, err
	}
	schemas, schemaStatus, err := open(flowSchemas(p.Clock, p.Advisor), p.Scheme, p.Options, p.GarbageCollection, current)
	if err != nil {
		return nil, err
	}
	if configuration, err = newStored(p.Informers, levels); err != nil {
		return nil, err
	}
	configuration.observe(schemas.Store)
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
