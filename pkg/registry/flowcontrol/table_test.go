package flowcontrol

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

func converter() table[*flowcontrol.FlowSchema] {
	return table[*flowcontrol.FlowSchema]{
		columns: []metav1.TableColumnDefinition{{Name: "Name"}},
		cells:   func(schema *flowcontrol.FlowSchema) []any { return []any{schema.Name} },
	}
}

func listOf(names ...string) *flowcontrol.FlowSchemaList {
	list := &flowcontrol.FlowSchemaList{ListMeta: metav1.ListMeta{ResourceVersion: "9", Continue: "more", RemainingItemCount: new(int64(3))}}
	for _, name := range names {
		list.Items = append(list.Items, flowcontrol.FlowSchema{ObjectMeta: metav1.ObjectMeta{Name: name}})
	}
	return list
}

func cellsOf(table *metav1.Table) []any {
	found := []any{}
	for _, row := range table.Rows {
		found = append(found, row.Cells...)
	}
	return found
}

func TestListBecomesATableInTheOrderOfTheConverter(t *testing.T) {
	c := converter()
	c.order = func(schemas []*flowcontrol.FlowSchema) {
		slices.SortFunc(schemas, func(a, b *flowcontrol.FlowSchema) int { return len(b.Name) - len(a.Name) })
	}
	list := listOf("a", "ccc", "bb")
	table, err := c.ConvertToTable(t.Context(), list, nil)
	require.NoError(t, err)
	require.Equal(t, []any{"ccc", "bb", "a"}, cellsOf(table))
	require.Equal(t, "a", list.Items[0].Name, "the list, which a cache may share, keeps its order")
}

func TestFlowSchemasAreShownInMatchingOrder(t *testing.T) {
	list := listOf("b", "a", "c")
	for i, precedence := range []int32{2, 9, 2} {
		list.Items[i].Spec.MatchingPrecedence = precedence
	}
	table, err := flowSchemaTable(clocktesting.NewFakePassiveClock(time.Now())).ConvertToTable(t.Context(), list, nil)
	require.NoError(t, err)
	var names []any
	for _, row := range table.Rows {
		names = append(names, row.Cells[0])
	}
	require.Equal(t, []any{"b", "c", "a"}, names)
}

func TestAge(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	clock := clocktesting.NewFakePassiveClock(now)
	for want, created := range map[string]metav1.Time{
		"<unknown>": {},
		"7s":        metav1.NewTime(now.Add(-7 * time.Second)),
		"3m20s":     metav1.NewTime(now.Add(-200 * time.Second)),
		"400d":      metav1.NewTime(now.AddDate(0, 0, -400)),
	} {
		require.Equal(t, want, age(created, clock))
	}
}
