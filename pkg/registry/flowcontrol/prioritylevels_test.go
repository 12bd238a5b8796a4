package flowcontrol

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

func TestTableOfLevelsShowsTheLimits(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	level := func(name string, limited *flowcontrol.LimitedPriorityLevelConfiguration, kind flowcontrol.PriorityLevelEnablement) flowcontrol.PriorityLevelConfiguration {
		return flowcontrol.PriorityLevelConfiguration{
			ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(now.Add(-time.Hour))},
			Spec:       flowcontrol.PriorityLevelConfigurationSpec{Type: kind, Limited: limited},
		}
	}
	queues := &flowcontrol.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: new(int32(30)),
		LimitResponse: flowcontrol.LimitResponse{
			Type:    flowcontrol.LimitResponseTypeQueue,
			Queuing: &flowcontrol.QueuingConfiguration{Queues: 64, HandSize: 8, QueueLengthLimit: 50},
		},
	}
	rejects := &flowcontrol.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: new(int32(0)),
		LimitResponse:            flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject},
	}
	list := &flowcontrol.PriorityLevelConfigurationList{Items: []flowcontrol.PriorityLevelConfiguration{
		level("queues", queues, flowcontrol.PriorityLevelEnablementLimited),
		level("rejects", rejects, flowcontrol.PriorityLevelEnablementLimited),
		level("exempt", nil, flowcontrol.PriorityLevelEnablementExempt),
		level("bare", &flowcontrol.LimitedPriorityLevelConfiguration{}, flowcontrol.PriorityLevelEnablementLimited),
	}}

	table, err := priorityLevelTable(clocktesting.NewFakePassiveClock(now)).ConvertToTable(t.Context(), list, nil)
	require.NoError(t, err)
	var rows [][]any
	for _, row := range table.Rows {
		rows = append(rows, row.Cells)
	}
	const none = "<none>"
	require.Equal(t, [][]any{
		{"queues", "Limited", int64(30), int64(64), int64(8), int64(50), "60m"},
		{"rejects", "Limited", int64(0), none, none, none, "60m"},
		{"exempt", "Exempt", none, none, none, none, "60m"},
		{"bare", "Limited", none, none, none, none, "60m"},
	}, rows)
	for _, column := range table.ColumnDefinitions {
		require.NotEmpty(t, column.Description, column.Name)
	}
	require.Len(t, table.ColumnDefinitions, len(rows[0]))
}
