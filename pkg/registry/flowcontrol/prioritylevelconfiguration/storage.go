package prioritylevelconfiguration

import (
	"context"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/names"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	conversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/storage"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/strategy"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/table"
)

// REST serves PriorityLevelConfigurations. It sends the findings of package lint as
// warnings when a write that created or deleted a level or changed its spec has
// succeeded.
type REST struct {
	*storage.REST
	advisor *lint.Advisor
	stored  func() lint.Reader
}

// NewREST returns the storage of PriorityLevelConfigurations and of their status. The
// clock is that of the age column; the advisor judges what is written, beside what is
// stored.
func NewREST(scheme *runtime.Scheme, options generic.RESTOptionsGetter, clock clock.PassiveClock, advisor *lint.Advisor, stored func() lint.Reader, garbageCollection rest.GarbageCollectionPolicy) (*REST, *storage.StatusREST, error) {
	forSpec := specStrategy{ClusterScoped: strategy.New(scheme, garbageCollection)}
	levels, status, err := storage.Open(storage.Resource{
		Plural:   flowcontrol.Resource("prioritylevelconfigurations"),
		Singular: flowcontrol.Resource("prioritylevelconfiguration"),
		New:      func() runtime.Object { return &flowcontrol.PriorityLevelConfiguration{} },
		NewList:  func() runtime.Object { return &flowcontrol.PriorityLevelConfigurationList{} },
		Spec:     forSpec,
		Status:   statusStrategy{specStrategy: forSpec},
		Table:    newTable(clock),
	}, options)
	if err != nil {
		return nil, nil, err
	}
	return &REST{REST: levels, advisor: advisor, stored: stored}, status, nil
}

// Create creates a level.
func (r *REST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	created, err := r.REST.Create(ctx, object, validate, options)
	if err == nil {
		r.warn(ctx, created)
	}
	return created, err
}

// Update updates a level. It creates the level if it does not exist and
// forceAllowCreate is set, as it is for apply.
func (r *REST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	var before *flowcontrol.PriorityLevelConfiguration
	objectInfo = rest.WrapUpdatedObjectInfo(objectInfo, func(_ context.Context, updated, old runtime.Object) (runtime.Object, error) {
		before = old.(*flowcontrol.PriorityLevelConfiguration)
		return updated, nil
	})
	updated, created, err := r.REST.Update(ctx, name, objectInfo, createValidation, updateValidation, forceAllowCreate, options)
	if err == nil && (before == nil || changesFlowControl(before, updated.(*flowcontrol.PriorityLevelConfiguration))) {
		r.warn(ctx, updated)
	}
	return updated, created, err
}

// changesFlowControl reports whether an update changes what the engine reads: the spec,
// which the generation counts, or the cap of a flow.
func changesFlowControl(before, after *flowcontrol.PriorityLevelConfiguration) bool {
	const flowCap = names.MaxFlowSeatsPercent
	return before.Generation != after.Generation || before.Annotations[flowCap] != after.Annotations[flowCap]
}

// Delete deletes a level.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	deleted, immediate, err := r.REST.Delete(ctx, name, validate, options)
	if err == nil {
		storage.Warn(ctx, r.advisor.DeletedPriorityLevel(ctx, name, r.stored()))
	}
	return deleted, immediate, err
}

func (r *REST) warn(ctx context.Context, object runtime.Object) {
	level := &flowcontrolv1.PriorityLevelConfiguration{}
	utilruntime.Must(conversion.Convert_flowcontrol_PriorityLevelConfiguration_To_v1_PriorityLevelConfiguration(object.(*flowcontrol.PriorityLevelConfiguration), level, nil)) // never fails
	storage.Warn(ctx, r.advisor.PriorityLevel(ctx, level, r.stored()))
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
