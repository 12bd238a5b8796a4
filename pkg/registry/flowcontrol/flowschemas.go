package flowcontrol

import (
	"cmp"
	"context"
	"slices"

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

// flowSchemas is the kind of FlowSchemas. The clock is for the age column; the advisor judges what
// is written.
func flowSchemas(clock clock.PassiveClock, advisor *lint.Advisor) kind[*flowcontrol.FlowSchema] {
	return kind[*flowcontrol.FlowSchema]{
		plural: "flowschemas", singular: "flowschema",
		newObject:  func() *flowcontrol.FlowSchema { return &flowcontrol.FlowSchema{} },
		newList:    func() runtime.Object { return &flowcontrol.FlowSchemaList{} },
		spec:       func(schema *flowcontrol.FlowSchema) any { return schema.Spec },
		copySpec:   func(to, from *flowcontrol.FlowSchema) { to.Spec = from.Spec },
		copyStatus: func(to, from *flowcontrol.FlowSchema) { to.Status = from.Status },
		validate:   validation.ValidateFlowSchema, validateStatus: validation.ValidateFlowSchemaStatus,
		table: flowSchemaTable(clock),
		advice: advice[*flowcontrol.FlowSchema]{
			written: func(ctx context.Context, written, old *flowcontrol.FlowSchema, before lint.Reader) []lint.Finding {
				return flowSchemaFindings(ctx, advisor, written, old, before)
			},
			deleted: func(_ context.Context, name string, _ lint.Reader) []lint.Finding {
				return advisor.DeletedFlowSchema(name)
			},
		},
	}
}

// flowSchemaFindings judges a schema that was created or whose spec changed. Each update is
// warned of a missing level.
func flowSchemaFindings(ctx context.Context, advisor *lint.Advisor, written, old *flowcontrol.FlowSchema, before lint.Reader) (found []lint.Finding) {
	schema := &flowcontrolv1.FlowSchema{}
	utilruntime.Must(conversion.Convert_flowcontrol_FlowSchema_To_v1_FlowSchema(written, schema, nil)) // never fails
	if old != nil {
		found = advisor.MissingLevel(ctx, schema, before)
	}
	if old == nil || written.Generation != old.Generation {
		found = append(found, advisor.FlowSchema(ctx, schema, before)...)
	}
	return found
}

// flowSchemaTable returns the columns of FlowSchemas, with rows in matching order.
func flowSchemaTable(clock clock.PassiveClock) table[*flowcontrol.FlowSchema] {
	metadata, spec := metav1.ObjectMeta{}.SwaggerDoc(), flowcontrolv1.FlowSchemaSpec{}.SwaggerDoc()
	return table[*flowcontrol.FlowSchema]{
		columns: []metav1.TableColumnDefinition{
			{Name: "Name", Type: "string", Format: "name", Description: metadata["name"]},
			{Name: "PriorityLevel", Type: "string", Description: flowcontrolv1.PriorityLevelConfigurationReference{}.SwaggerDoc()["name"]},
			{Name: "MatchingPrecedence", Type: "string", Description: spec["matchingPrecedence"]},
			{Name: "DistinguisherMethod", Type: "string", Description: spec["distinguisherMethod"]},
			{Name: "Age", Type: "string", Description: metadata["creationTimestamp"]},
			{Name: "MissingPL", Type: "string", Description: "references a broken or non-existent PriorityLevelConfiguration"},
		},
		cells: func(schema *flowcontrol.FlowSchema) []any {
			return []any{
				schema.Name,
				schema.Spec.PriorityLevelConfiguration.Name,
				int64(schema.Spec.MatchingPrecedence),
				distinguisherMethod(schema),
				age(schema.CreationTimestamp, clock),
				dangling(schema),
			}
		},
		order: func(schemas []*flowcontrol.FlowSchema) {
			slices.SortFunc(schemas, func(a, b *flowcontrol.FlowSchema) int {
				return cmp.Or(cmp.Compare(a.Spec.MatchingPrecedence, b.Spec.MatchingPrecedence), cmp.Compare(a.Name, b.Name))
			})
		},
	}
}

func distinguisherMethod(schema *flowcontrol.FlowSchema) string {
	if schema.Spec.DistinguisherMethod == nil {
		return none
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
