package prioritylevelconfiguration

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/storage"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/strategy"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/table"
)

// NewREST returns the storage of PriorityLevelConfigurations and of their status. The
// clock is that of the age column.
func NewREST(scheme *runtime.Scheme, options generic.RESTOptionsGetter, clock clock.PassiveClock) (*storage.REST, *storage.StatusREST, error) {
	forSpec := specStrategy{ClusterScoped: strategy.New(scheme)}
	return storage.Open(storage.Resource{
		Plural:   flowcontrol.Resource("prioritylevelconfigurations"),
		Singular: flowcontrol.Resource("prioritylevelconfiguration"),
		New:      func() runtime.Object { return &flowcontrol.PriorityLevelConfiguration{} },
		NewList:  func() runtime.Object { return &flowcontrol.PriorityLevelConfigurationList{} },
		Spec:     forSpec,
		Status:   statusStrategy{specStrategy: forSpec},
		Table:    newTable(clock),
	}, options)
}

func newTable(clock clock.PassiveClock) table.Converter[*flowcontrol.PriorityLevelConfiguration] {
	metadata, queuing := metav1.ObjectMeta{}.SwaggerDoc(), flowcontrolv1.QueuingConfiguration{}.SwaggerDoc()
	return table.Converter[*flowcontrol.PriorityLevelConfiguration]{
		Columns: []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name", Description: metadata["name"]},
			{Name: "Type", Type: "string", Description: flowcontrolv1.PriorityLevelConfigurationSpec{}.SwaggerDoc()["type"]},
			{Name: "NominalConcurrencyShares", Type: "string", Description: flowcontrolv1.LimitedPriorityLevelConfiguration{}.SwaggerDoc()["nominalConcurrencyShares"]},
			{Name: "Queues", Type: "string", Description: queuing["queues"]},
			{Name: "HandSize", Type: "string", Description: queuing["handSize"]},
			{Name: "QueueLengthLimit", Type: "string", Description: queuing["queueLengthLimit"]},
			{Name: "Age", Type: "string", Description: metadata["creationTimestamp"]},
		},
		Cells: func(level *flowcontrol.PriorityLevelConfiguration) []any {
			shares, queues, handSize, lengthLimit := limits(level.Spec.Limited)
			return []any{
				level.Name, string(level.Spec.Type), shares, queues, handSize, lengthLimit,
				table.Age(level.CreationTimestamp, clock),
			}
		},
	}
}

// limits returns the cells of a level's limits, table.None for those not set.
func limits(limited *flowcontrol.LimitedPriorityLevelConfiguration) (shares, queues, handSize, lengthLimit any) {
	shares, queues, handSize, lengthLimit = table.None, table.None, table.None, table.None
	if limited == nil {
		return
	}
	if limited.NominalConcurrencyShares != nil {
		shares = int64(*limited.NominalConcurrencyShares)
	}
	if queuing := limited.LimitResponse.Queuing; queuing != nil {
		queues, handSize, lengthLimit = int64(queuing.Queues), int64(queuing.HandSize), int64(queuing.QueueLengthLimit)
	}
	return
}
