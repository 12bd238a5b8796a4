package debugendpoints

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
)

type levelRow struct {
	PriorityLevelName  string `json:"priorityLevelName"`
	ActiveQueues       int    `json:"activeQueues"`
	IsIdle             bool   `json:"isIdle"`
	IsQuiescing        bool   `json:"isQuiescing"`
	WaitingRequests    int    `json:"waitingRequests"`
	ExecutingRequests  int    `json:"executingRequests"`
	DispatchedRequests uint64 `json:"dispatchedRequests"`
	RejectedRequests   uint64 `json:"rejectedRequests"`
	TimedoutRequests   uint64 `json:"timedoutRequests"`
	CancelledRequests  uint64 `json:"cancelledRequests"`
}

func levelRows(levels []engine.LevelReport) []levelRow {
	rows := make([]levelRow, 0, len(levels))
	for i := range levels {
		level := &levels[i]
		figures := &level.Figures
		rows = append(rows, levelRow{
			PriorityLevelName:  level.Config.Name,
			ActiveQueues:       figures.QueuesWaiting,
			IsIdle:             figures.Waiting == 0 && figures.SeatsInUse == 0,
			IsQuiescing:        level.Quiescing,
			WaitingRequests:    figures.Waiting,
			ExecutingRequests:  figures.Executing,
			DispatchedRequests: figures.Totals.Dispatched,
			RejectedRequests:   figures.Totals.Rejected,
			TimedoutRequests:   figures.Totals.TimedOut,
			CancelledRequests:  figures.Totals.Cancelled,
		})
	}
	return rows
}
