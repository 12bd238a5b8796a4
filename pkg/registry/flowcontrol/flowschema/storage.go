package flowschema

import (
	"cmp"
	"context"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/registry/generic"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/storage"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/strategy"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/table"
)

// REST serves FlowSchemas. It sends the findings of package lint as warnings when
// a write that created or deleted a schema or changed its spec has succeeded, and each
// update is warned of a missing level. A
// strategy is called on each attempt of an update, the first of which may start from
// an outdated object.
type REST struct {
	*storage.REST
	reader  *reader
	advisor *lint.Advisor
}

// NewREST returns the storage of FlowSchemas and of their status. The clock is
// that of the age column; levels reads the priority levels that schemas name; the
// advisor judges what is written.
func NewREST(scheme *runtime.Scheme, options generic.RESTOptionsGetter, clock clock.PassiveClock, levels Levels, advisor *lint.Advisor, garbageCollection rest.GarbageCollectionPolicy) (*REST, *storage.StatusREST, error) {
	forSpec := specStrategy{ClusterScoped: strategy.New(scheme, garbageCollection)}
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
	return &REST{REST: schemas, reader: newReader(schemas.Store, levels), advisor: advisor}, status, nil
}

// Stored returns the stored configuration, which includes this server's writes so far.
func (r *REST) Stored() lint.Reader { return r.reader.current() }

// Destroy stops the cache and closes the store.
func (r *REST) Destroy() {
	r.reader.schemas.stop()
	r.REST.Destroy()
}

// Create creates a schema.
func (r *REST) Create(ctx context.Context, object runtime.Object, validate rest.ValidateObjectFunc, options *metav1.CreateOptions) (runtime.Object, error) {
	before := r.reader.current()
	created, err := r.REST.Create(ctx, object, validate, options)
	if err == nil {
		r.warn(ctx, created, before)
	}
	return created, err
}

// Update updates a schema. It creates the schema if it does not exist and
// forceAllowCreate is set, as it is for apply.
func (r *REST) Update(ctx context.Context, name string, objectInfo rest.UpdatedObjectInfo, createValidation rest.ValidateObjectFunc, updateValidation rest.ValidateObjectUpdateFunc, forceAllowCreate bool, options *metav1.UpdateOptions) (runtime.Object, bool, error) {
	before := r.reader.current()
	var generation int64
	objectInfo = rest.WrapUpdatedObjectInfo(objectInfo, func(_ context.Context, updated, old runtime.Object) (runtime.Object, error) {
		generation = old.(*flowcontrol.FlowSchema).Generation
		return updated, nil
	})
	updated, created, err := r.REST.Update(ctx, name, objectInfo, createValidation, updateValidation, forceAllowCreate, options)
	if err != nil {
		return updated, created, err
	}
	if !created {
		storage.Warn(ctx, r.advisor.MissingLevel(ctx, forLint(updated.(*flowcontrol.FlowSchema)), before))
	}
	if updated.(*flowcontrol.FlowSchema).Generation != generation {
		r.warn(ctx, updated, before)
	}
	return updated, created, nil
}

// Delete deletes a schema.
func (r *REST) Delete(ctx context.Context, name string, validate rest.ValidateObjectFunc, options *metav1.DeleteOptions) (runtime.Object, bool, error) {
	deleted, immediate, err := r.REST.Delete(ctx, name, validate, options)
	if err == nil {
		storage.Warn(ctx, r.advisor.DeletedFlowSchema(name))
	}
	return deleted, immediate, err
}

func (r *REST) warn(ctx context.Context, object runtime.Object, stored lint.Reader) {
	storage.Warn(ctx, r.advisor.FlowSchema(ctx, forLint(object.(*flowcontrol.FlowSchema)), stored))
}

// newTable returns the columns of FlowSchemas, with rows in matching order.
func newTable(clock clock.PassiveClock) table.Converter[*flowcontrol.FlowSchema] {
	metadata, spec := metav1.ObjectMeta{}.SwaggerDoc(), flowcontrolv1.FlowSchemaSpec{}.SwaggerDoc()
	return table.Converter[*flowcontrol.FlowSchema]{
		Columns: []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name", Description: metadata["name"]},
			{Name: "PriorityLevel", Type: "string", Description: flowcontrolv1.PriorityLevelConfigurationReference{}.SwaggerDoc()["name"]},
			{Name: "MatchingPrecedence", Type: "string", Description: spec["matchingPrecedence"]},
			{Name: "DistinguisherMethod", Type: "string", Description: spec["distinguisherMethod"]},
			{Name: "Age", Type: "string", Description: metadata["creationTimestamp"]},
			{Name: "MissingPL", Type: "string", Description: "references a broken or non-existent PriorityLevelConfiguration"},
		},
		Cells: func(schema *flowcontrol.FlowSchema) []any {
			return []any{
				schema.Name,
				schema.Spec.PriorityLevelConfiguration.Name,
				int64(schema.Spec.MatchingPrecedence),
				distinguisherMethod(schema),
				table.Age(schema.CreationTimestamp, clock),
				dangling(schema),
			}
		},
		Order: func(schemas []*flowcontrol.FlowSchema) {
			slices.SortFunc(schemas, func(a, b *flowcontrol.FlowSchema) int {
				return cmp.Or(cmp.Compare(a.Spec.MatchingPrecedence, b.Spec.MatchingPrecedence), cmp.Compare(a.Name, b.Name))
			})
		},
	}
}

func distinguisherMethod(schema *flowcontrol.FlowSchema) string {
	if schema.Spec.DistinguisherMethod == nil {
		return table.None
	}
	return string(schema.Spec.DistinguisherMethod.Type)
}

// dangling returns the status of the Dangling condition.
func dangling(schema *flowcontrol.FlowSchema) string {
	for _, condition := range schema.Status.Conditions {
		if condition.Type == flowcontrol.FlowSchemaConditionDangling {
			return string(condition.Status)
		}
	}
	return "?"
}
