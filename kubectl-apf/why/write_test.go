package why

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

func TestJSON(t *testing.T) {
	r := inquire(Query{User: "alice"}, nil, crowded()...)
	r.Remedies = r.Remedies[1:]
	text, err := json.Marshal(r)
	require.NoError(t, err)
	dealer, err := flow.NewDealer(8, 2)
	require.NoError(t, err)
	queues, err := json.Marshal(dealer.Deal(flow.HashOf("users", "alice"), nil))
	require.NoError(t, err)
	assert.JSONEq(t, `{
		"user": "alice", "evidence": "annotated events",
		"since": "2026-11-22T10:00:00Z", "until": "2026-11-22T10:01:40Z",
		"flows": [{
			"priorityLevel": "queued", "flowSchema": "users", "distinguisher": "alice", "queues": `+string(queues)+`,
			"users": [{"name": "alice", "requests": 3}], "requests": 3, "rejected": 1, "delayed": 2, "reasons": {"time-out": 1},
			"first": "2026-11-22T10:00:20Z", "last": "2026-11-22T10:01:00Z", "longestWaitSeconds": 3, "waitSeconds": 3.5,
			"seatSeconds": 2, "flowSeatSeconds": 2, "fairShare": 500, "exact": true
		}],
		"priorityLevels": [{
			"name": "queued", "type": "Queue", "nominal": 10, "limit": 10, "current": false, "seconds": 100, "servers": 1,
			"capacity": 1000, "used": 1002, "demanded": 1003, "flows": 2,
			"heaviest": [
				{"flowSchema": "users", "distinguisher": "runaway", "seatSeconds": 1000},
				{"flowSchema": "users", "distinguisher": "alice", "seatSeconds": 2}
			]
		}],
		"counters": [],
		"remedies": [{
			"action": "Raise nominalConcurrencyShares of priority level queued from 10 to 12.",
			"because": "Its requests ask for 10.0 seats on average, and its limit is 10 on each server. This gives it 12 seats, 2 more; the others lose 1 of them.",
			"object": "PriorityLevelConfiguration/queued", "field": "spec.limited.nominalConcurrencyShares", "from": 10, "to": 12
		}],
		"notes": ["Requests that the audit policy omits are not counted."]
	}`, string(text))
}
