package debugendpoints

import (
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
)

type flowRow struct {
	PriorityLevelName string `json:"priorityLevelName"`
	FlowSchemaName    string `json:"flowSchemaName"`
	FlowDistinguisher string `json:"flowDistinguisher"`
	// What the flow used is at most SeatSeconds, and at least SeatSeconds - Error.
	SeatSeconds1m  float64 `json:"seatSeconds1m"`
	SeatSeconds5m  float64 `json:"seatSeconds5m"`
	SeatSeconds15m float64 `json:"seatSeconds15m"`
	Error1m        float64 `json:"error1m"`
	Error5m        float64 `json:"error5m"`
	Error15m       float64 `json:"error15m"`
	Tenant         string  `json:"tenant,omitempty"`
}

func flowRows(levels []engine.LevelFlows) []flowRow {
	var rows []flowRow
	for _, level := range levels {
		for _, use := range level.Flows {
			one, five, fifteen := use.Windows[heavyhitters.OneMinute], use.Windows[heavyhitters.FiveMinutes], use.Windows[heavyhitters.FifteenMinutes]
			rows = append(rows, flowRow{
				PriorityLevelName: level.Level,
				FlowSchemaName:    use.Schema,
				FlowDistinguisher: use.Distinguisher,
				Tenant:            use.Tenant,
				SeatSeconds1m:     one.SeatSeconds,
				SeatSeconds5m:     five.SeatSeconds,
				SeatSeconds15m:    fifteen.SeatSeconds,
				Error1m:           one.Error,
				Error5m:           five.Error,
				Error15m:          fifteen.Error,
			})
		}
	}
	return rows
}
