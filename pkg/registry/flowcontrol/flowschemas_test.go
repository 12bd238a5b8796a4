package flowcontrol

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

func TestFlowSchemasAreInMatchingOrder(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	schema := func(name string, precedence int32) flowcontrol.FlowSchema {
		one := *validSchema()
		one.Name, one.Spec.MatchingPrecedence = name, precedence
		one.CreationTimestamp = metav1.NewTime(now.Add(-time.Minute))
		return one
	}
	first := schema("first", 1)
	first.Spec.DistinguisherMethod = &flowcontrol.FlowDistinguisherMethod{Type: flowcontrol.FlowDistinguisherMethodByUserType}
	first.Status.Conditions = append(first.Status.Conditions, flowcontrol.FlowSchemaCondition{Type: flowcontrol.FlowSchemaConditionDangling, Status: flowcontrol.ConditionTrue})
	list := &flowcontrol.FlowSchemaList{Items: []flowcontrol.FlowSchema{schema("last", 10000), schema("b", 900), schema("a", 900), first}}

	table, err := flowSchemaTable(clocktesting.NewFakePassiveClock(now)).ConvertToTable(t.Context(), list, nil)
	require.NoError(t, err)
	var rows [][]any
	for _, row := range table.Rows {
		rows = append(rows, row.Cells)
	}
	require.Equal(t, [][]any{
		{"first", "level", int64(1), "ByUser", "60s", "True"},
		{"a", "level", int64(900), "<none>", "60s", "?"},
		{"b", "level", int64(900), "<none>", "60s", "?"},
		{"last", "level", int64(10000), "<none>", "60s", "?"},
	}, rows)
	for _, column := range table.ColumnDefinitions {
		require.NotEmpty(t, column.Description, column.Name)
	}
	require.Len(t, table.ColumnDefinitions, len(rows[0]))
}
