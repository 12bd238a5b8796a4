package debugendpoints

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/heavyhitters"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/rejections"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/internal/stats"
)

// busy is a Source with a flow and a rejection, whose client chose the given name.
type busy struct {
	still
	client, tenant string
}

func (b busy) TopFlows() []engine.LevelFlows {
	return []engine.LevelFlows{{Level: "busy", Flows: []engine.FlowUse{{Tenant: b.tenant, Use: heavyhitters.Use{
		Flow:    heavyhitters.Flow{Schema: "s1", Distinguisher: b.client},
		Windows: [heavyhitters.WindowCount]heavyhitters.Usage{{SeatSeconds: 1.5}, {SeatSeconds: 2, Error: 0.25}, {SeatSeconds: 3, Error: 0.5}},
	}}}}}
}

func (b busy) Rejections() []engine.LevelRejections {
	return []engine.LevelRejections{{Level: "busy", Records: []rejections.Record{{
		Schema: "s1", Distinguisher: b.client, Reason: stats.QueueFull, Count: 4, First: time.Second, Last: 2 * time.Second,
		User: b.client, Verb: "get", Path: "/" + b.client, Queue: 3, Seats: 10,
	}}}}
}

func TestFlowsAndRejectionsAsText(t *testing.T) {
	assert.Equal(t, [][]string{
		{"PriorityLevelName", "FlowSchemaName", "FlowDistinguisher", "SeatSeconds1m", "SeatSeconds5m", "SeatSeconds15m", "Error1m", "Error5m", "Error15m", "Tenant"},
		{"busy", "s1", "alice", "1.500000", "2.000000", "3.000000", "0.000000", "0.250000", "0.500000", ""},
	}, lines(get(t, busy{client: "alice"}, "top_flows", "").Body.String()))
	assert.Equal(t, [][]string{
		{"PriorityLevelName", "FlowSchemaName", "FlowDistinguisher", "Reason", "Count", "FirstTime", "LastTime", "UserName", "Verb", "Path", "Queue", "Seats"},
		{"busy", "s1", "alice", "queue-full", "4", "2024-05-06T07:08:10Z", "2024-05-06T07:08:11Z", "alice", "get", "/alice", "3", "10"},
	}, lines(get(t, busy{client: "alice"}, "rejections", "").Body.String()))
}

func TestFlowsAndRejectionsAsJSON(t *testing.T) {
	assert.JSONEq(t, `[{"priorityLevelName":"busy","flowSchemaName":"s1","flowDistinguisher":"alice",
		"seatSeconds1m":1.5,"seatSeconds5m":2,"seatSeconds15m":3,"error1m":0,"error5m":0.25,"error15m":0.5}]`,
		get(t, busy{client: "alice"}, "top_flows", "application/json").Body.String())
	assert.Contains(t, get(t, busy{client: "alice", tenant: "shop"}, "top_flows", "application/json").Body.String(), `"tenant":"shop"`)
	assert.JSONEq(t, `[{"priorityLevelName":"busy","flowSchemaName":"s1","flowDistinguisher":"alice","reason":"queue-full","count":4,
		"firstTime":"2024-05-06T07:08:10Z","lastTime":"2024-05-06T07:08:11Z","userName":"alice","verb":"get","path":"/alice","queue":3,"seats":10}]`,
		get(t, busy{client: "alice"}, "rejections", "application/json").Body.String())
	assert.JSONEq(t, `[]`, get(t, still{}, "top_flows", "application/json").Body.String())
}
