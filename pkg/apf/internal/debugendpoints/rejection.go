package debugendpoints

import (
	"time"
)

type rejectionRow struct {
	PriorityLevelName string    `json:"priorityLevelName"`
	FlowSchemaName    string    `json:"flowSchemaName"`
	FlowDistinguisher string    `json:"flowDistinguisher"`
	Reason            string    `json:"reason"`
	Count             uint64    `json:"count"`
	FirstTime         time.Time `json:"firstTime"`
	LastTime          time.Time `json:"lastTime"`
	// What follows is of the last rejection. Queue is -1 if the request was in no queue.
	UserName string `json:"userName"`
	Verb     string `json:"verb"`
	Path     string `json:"path"`
	Queue    int    `json:"queue"`
	Seats    int    `json:"seats"`
}

func rejectionRows(source Source) []rejectionRow {
	var rows []rejectionRow
	for _, level := range source.Rejections() {
		for i := range level.Records {
			r := &level.Records[i]
			rows = append(rows, rejectionRow{
				PriorityLevelName: level.Level,
				FlowSchemaName:    r.Schema,
				FlowDistinguisher: r.Distinguisher,
				Reason:            r.Reason.String(),
				Count:             r.Count,
				FirstTime:         source.Wall(r.First).UTC(),
				LastTime:          source.Wall(r.Last).UTC(),
				UserName:          r.User,
				Verb:              r.Verb,
				Path:              r.Path,
				Queue:             r.Queue,
				Seats:             r.Seats,
			})
		}
	}
	return rows
}
