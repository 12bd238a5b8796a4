package flowcontrol

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupName is the API group that this server serves.
const GroupName = "flowcontrol.apiserver.k8s.io"

// SchemeGroupVersion is the group and version of the hub.
var SchemeGroupVersion = schema.GroupVersion{Group: GroupName, Version: runtime.APIVersionInternal}

// Resource returns the group resource of that name.
func Resource(resource string) schema.GroupResource {
	return SchemeGroupVersion.WithResource(resource).GroupResource()
}

// AddToScheme registers the hub's types.
func AddToScheme(scheme *runtime.Scheme) error {
	scheme.AddKnownTypes(SchemeGroupVersion,
		&FlowSchema{}, &FlowSchemaList{},
		&PriorityLevelConfiguration{}, &PriorityLevelConfigurationList{},
	)
	return nil
}
