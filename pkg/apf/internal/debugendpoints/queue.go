package debugendpoints

import (
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

type queueRow struct {
	PriorityLevelName string `json:"priorityLevelName"`
	Index             int    `json:"index"`
	PendingRequests   int    `json:"pendingRequests"`
	ExecutingRequests int    `json:"executingRequests"`
	SeatsInUse        int    `json:"seatsInUse"`
	// NextDispatchR and TotalWorkSum are in seat-seconds.
	NextDispatchR   float64 `json:"nextDispatchR"`
	InitialSeatsSum int     `json:"initialSeatsSum"`
	MaxSeatsSum     int     `json:"maxSeatsSum"`
	TotalWorkSum    float64 `json:"totalWorkSum"`
}

func queueHeaders() []string {
	return []string{
		"PriorityLevelName", "Index", "PendingRequests", "ExecutingRequests", "SeatsInUse",
		"NextDispatchR", "InitialSeatsSum", "MaxSeatsSum", "TotalWorkSum",
	}
}

// queueRows returns a row for each configured queue, and for each removed queue that
// still has requests.
func queueRows(levels []engine.LevelDump) []row {
	var rows []row
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
		NextDispatchR:     q.NextDispatchR,
		InitialSeatsSum:   q.InitialSeats,
		MaxSeatsSum:       q.Widths,
		TotalWorkSum:      q.Work.SeatSeconds(),
	}
}

func (r queueRow) columns() []string {
	return []string{
		r.PriorityLevelName,
		strconv.Itoa(r.Index),
		strconv.Itoa(r.PendingRequests),
		strconv.Itoa(r.ExecutingRequests),
		strconv.Itoa(r.SeatsInUse),
		seatSeconds(r.NextDispatchR),
		strconv.Itoa(r.InitialSeatsSum),
		strconv.Itoa(r.MaxSeatsSum),
		seatSeconds(r.TotalWorkSum),
	}
}

// seatSeconds formats a number as k8s.io/apiserver does.
func seatSeconds(x float64) string {
	return strconv.FormatFloat(x, 'f', 8, 64) + "ss"
}
