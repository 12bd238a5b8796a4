package flowcontrol

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	conversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// priorityLevels is the kind of PriorityLevelConfigurations. The clock is for the age column; the
// advisor judges what is written.
func priorityLevels(clock clock.PassiveClock, advisor *lint.Advisor) kind[*flowcontrol.PriorityLevelConfiguration] {
	return kind[*flowcontrol.PriorityLevelConfiguration]{
		plural: "prioritylevelconfigurations", singular: "prioritylevelconfiguration",
		newObject:  func() *flowcontrol.PriorityLevelConfiguration { return &flowcontrol.PriorityLevelConfiguration{} },
		newList:    func() runtime.Object { return &flowcontrol.PriorityLevelConfigurationList{} },
		spec:       func(level *flowcontrol.PriorityLevelConfiguration) any { return level.Spec },
		copySpec:   func(to, from *flowcontrol.PriorityLevelConfiguration) { to.Spec = from.Spec },
		copyStatus: func(to, from *flowcontrol.PriorityLevelConfiguration) { to.Status = from.Status },
		validate:   validation.ValidatePriorityLevelConfiguration, validateStatus: validation.ValidatePriorityLevelConfigurationStatus,
		table: priorityLevelTable(clock),
		advice: advice[*flowcontrol.PriorityLevelConfiguration]{
			written: func(ctx context.Context, written, old *flowcontrol.PriorityLevelConfiguration, before lint.Reader) []lint.Finding {
				if old != nil && written.Generation == old.Generation {
					return nil
				}
				level := &flowcontrolv1.PriorityLevelConfiguration{}
				utilruntime.Must(conversion.Convert_flowcontrol_PriorityLevelConfiguration_To_v1_PriorityLevelConfiguration(written, level, nil)) // never fails
				return advisor.PriorityLevel(ctx, level, before)
			},
			deleted: advisor.DeletedPriorityLevel,
		},
	}
}

// priorityLevelTable returns the columns of PriorityLevelConfigurations.
func priorityLevelTable(clock clock.PassiveClock) table[*flowcontrol.PriorityLevelConfiguration] {
	metadata, queuing := metav1.ObjectMeta{}.SwaggerDoc(), flowcontrolv1.QueuingConfiguration{}.SwaggerDoc()
	return table[*flowcontrol.PriorityLevelConfiguration]{
		columns: []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name", Description: metadata["name"]},
			{Name: "Type", Type: "string", Description: flowcontrolv1.PriorityLevelConfigurationSpec{}.SwaggerDoc()["type"]},
			{Name: "NominalConcurrencyShares", Type: "string", Description: flowcontrolv1.LimitedPriorityLevelConfiguration{}.SwaggerDoc()["nominalConcurrencyShares"]},
			{Name: "Queues", Type: "string", Description: queuing["queues"]},
			{Name: "HandSize", Type: "string", Description: queuing["handSize"]},
			{Name: "QueueLengthLimit", Type: "string", Description: queuing["queueLengthLimit"]},
			{Name: "Age", Type: "string", Description: metadata["creationTimestamp"]},
		},
		cells: func(level *flowcontrol.PriorityLevelConfiguration) []any {
			shares, queues, handSize, lengthLimit := limits(level.Spec.Limited)
			return []any{
				level.Name, string(level.Spec.Type), shares, queues, handSize, lengthLimit,
				age(level.CreationTimestamp, clock),
			}
		},
	}
}

// limits returns the cells of a level's limits, none for those not set.
func limits(limited *flowcontrol.LimitedPriorityLevelConfiguration) (shares, queues, handSize, lengthLimit any) {
	shares, queues, handSize, lengthLimit = none, none, none, none
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
