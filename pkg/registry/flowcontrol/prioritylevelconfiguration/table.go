package prioritylevelconfiguration

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/table"
)

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

// limits gives the cells of a level's numbers, of those that it has.
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
