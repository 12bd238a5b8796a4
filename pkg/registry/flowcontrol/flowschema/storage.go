package flowschema

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/storage"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/strategy"
)

// NewREST opens the storage of FlowSchemas and of their status. The clock is
// that of the age column; levels gets the priority levels that schemas name.
func NewREST(scheme *runtime.Scheme, options generic.RESTOptionsGetter, clock clock.PassiveClock, levels rest.Getter) (*REST, *storage.StatusREST, error) {
	forSpec := specStrategy{ClusterScoped: strategy.New(scheme)}
	schemas, status, err := storage.Open(storage.Resource{
		Plural:   flowcontrol.Resource("flowschemas"),
		Singular: flowcontrol.Resource("flowschema"),
		New:      func() runtime.Object { return &flowcontrol.FlowSchema{} },
		NewList:  func() runtime.Object { return &flowcontrol.FlowSchemaList{} },
		Spec:     forSpec,
		Status:   statusStrategy{specStrategy: forSpec},
		Table:    newTable(clock),
	}, options)
	if err != nil {
		return nil, nil, err
	}
	return &REST{REST: schemas, stored: newCatalogue(schemas.Store, levels)}, status, nil
}
