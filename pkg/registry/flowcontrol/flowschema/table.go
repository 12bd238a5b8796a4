package flowschema

import (
	"cmp"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/registry/flowcontrol/table"
)

// newTable prints FlowSchemas in the order in which they are matched.
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

func dangling(schema *flowcontrol.FlowSchema) string {
	for _, condition := range schema.Status.Conditions {
		if condition.Type == flowcontrol.FlowSchemaConditionDangling {
			return string(condition.Status)
		}
	}
	return "?"
}
