package debugendpoints

import (
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

type queueRow struct {
	PriorityLevelName string      `json:"priorityLevelName"`
	Index             int         `json:"index"`
	PendingRequests   int         `json:"pendingRequests"`
	ExecutingRequests int         `json:"executingRequests"`
	SeatsInUse        int         `json:"seatsInUse"`
	NextDispatchR     seatSeconds `json:"nextDispatchR"`
	InitialSeatsSum   int         `json:"initialSeatsSum"`
	MaxSeatsSum       int         `json:"maxSeatsSum"`
	TotalWorkSum      seatSeconds `json:"totalWorkSum"`
}

type seatSeconds float64

// String formats as k8s.io/apiserver does.
func (s seatSeconds) String() string { return strconv.FormatFloat(float64(s), 'f', 8, 64) + "ss" }

// queueRows returns a row for each configured queue, and for each removed queue that
// still has requests.
func queueRows(levels []engine.LevelDump) []queueRow {
	var rows []queueRow
	for i := range levels {
		level := &levels[i]
		name := level.Report.Config.Name
		active := level.Active
		for index := 0; index < level.Queues || len(active) > 0; index++ {
			if len(active) > 0 && active[0].Index == index {
				rows = append(rows, newQueueRow(name, active[0]))
				active = active[1:]
			} else if index < level.Queues {
				rows = append(rows, queueRow{PriorityLevelName: name, Index: index})
			}
		}
	}
	return rows
}

func newQueueRow(level string, q queueset.QueueDump) queueRow {
	return queueRow{
		PriorityLevelName: level,
		Index:             q.Index,
		PendingRequests:   q.Waiting,
		ExecutingRequests: q.Executing,
		SeatsInUse:        q.SeatsInUse,
		NextDispatchR:     seatSeconds(q.NextDispatchR),
		InitialSeatsSum:   q.InitialSeats,
		MaxSeatsSum:       q.Widths,
		TotalWorkSum:      seatSeconds(q.Work.SeatSeconds()),
	}
}
