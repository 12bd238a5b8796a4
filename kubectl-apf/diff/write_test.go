package diff

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

func TestLongTablesAreCutUnlessTheyAreWide(t *testing.T) {
	after := base()
	for i := range maxRows + 3 {
		name := fmt.Sprintf("new-%02d", i)
		after.PriorityLevels = append(after.PriorityLevels, level(name, 1))
		after.FlowSchemas = append(after.FlowSchemas, objects.Schema(name, name, 600))
	}
	r := compare(t, base(), after)
	var out, wide bytes.Buffer
	require.NoError(t, r.WriteTable(&out, table.Options{}))
	require.NoError(t, r.WriteTable(&wide, table.Options{Wide: true}))
	assert.Contains(t, out.String(), "\n31 more; wide output shows them.\n", "28 schemas and 28 levels")
	assert.Contains(t, out.String(), "\n3 more; wide output shows them.\n", "28 schemas without rules")
	assert.Contains(t, out.String(), "\nnew-27 ", "all levels are shown")
	assert.NotContains(t, wide.String(), "more; wide")
}

func TestJSON(t *testing.T) {
	r := compare(t, base(), with(objects.Schema("alice", "high", 600, on(objects.User("alice"), "list", "pods"))))
	assert.Equal(t, []string{"2", r.Moves[0].From.String(), r.Moves[0].To.String()}, r.moveTable(false).Rows[0][:3])
	r.Levels = r.Levels[2:3]
	r.FlowSchemas = []FlowSchema{{"late", Stops, "all its requests match all first"}}
	text, err := json.Marshal(r)
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"objects": [{"kind": "FlowSchema", "name": "alice", "change": "added"}],
		"basis": "combinations", "checked": 2, "moved": 2,
		"moves": [{
			"from": {"flowSchema": "everybody", "priorityLevel": "low"}, "to": {"flowSchema": "alice", "priorityLevel": "high"}, "count": 2,
			"users": {"values": [{"name": "alice", "count": 2}]}, "verbs": {"values": [{"name": "list", "count": 2}]},
			"resources": {"values": [{"name": "pods", "count": 2}]}, "namespaces": {"values": [{"name": "*", "count": 1}]}
		}],
		"flowSchemas": [{"name": "late", "matching": "stops matching", "because": "all its requests match all first"}],
		"priorityLevels": [{
			"name": "high",
			"before": {"type": "Queue", "shares": 75, "nominal": 75, "lower": 37, "upper": 100, "lendable": 38, "borrowable": 25},
			"after": {"type": "Queue", "shares": 75, "nominal": 75, "lower": 37, "upper": 100, "lendable": 38, "borrowable": 25}
		}]
	}`, string(text))
}
