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

// maxIdleRows bounds the rows of queues without requests, of all levels together: one level may
// have ten million queues.
const maxIdleRows = 100_000

// queueRows returns a row for each configured queue, and for each removed queue that
// still has requests. It also returns how many queues without requests it leaves out.
func queueRows(levels []engine.LevelDump) (rows []queueRow, leftOut int) {
	left := maxIdleRows
	for i := range levels {
		level := &levels[i]
		name := level.Report.Config.Name
		addIdle := func(from, to int) {
			idle := max(0, min(to, level.Queues)-from)
			shown := min(idle, left)
			for index := range shown {
				rows = append(rows, queueRow{PriorityLevelName: name, Index: from + index})
			}
			left -= shown
			leftOut += idle - shown
		}
		next := 0
		for _, active := range level.Active {
			addIdle(next, active.Index)
			rows = append(rows, newQueueRow(name, active))
			next = active.Index + 1
		}
		addIdle(next, level.Queues)
	}
	return rows, leftOut
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
