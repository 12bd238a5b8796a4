package lint

import (
	"cmp"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// The levels of users without another FlowSchema.
const (
	levelGlobalDefault = "global-default"
	levelCatchAll      = flowcontrolv1.PriorityLevelConfigurationNameCatchAll
)

func isForUnknownUsers(level string) bool {
	return level == levelGlobalDefault || level == levelCatchAll
}

// judgeAgents finds agents of nodes in the level of unknown users: FC601.
func (j *judge) judgeAgents() {
	seen := map[Object]bool{}
	// The one finding about a client is of the level where it has most requests.
	for _, client := range slices.SortedStableFunc(slices.Values(j.Facts.Traffic.Clients), func(a, b Client) int { return cmp.Compare(b.Requests, a.Requests) }) {
		if isForUnknownUsers(client.PriorityLevel) && client.runsOnNodes() && !seen[client.object()] {
			seen[client.object()] = true
			j.add(j.nodeAgent(&client))
		}
	}
}

// runsOnNodes reports whether the client is known to run on nodes.
func (c *Client) runsOnNodes() bool {
	const proxy, detector = "kube-proxy", "node-problem-detector"
	return c.User == "system:"+proxy || c.User == "system:"+detector || c.User == "" && (c.Program == proxy || c.Program == detector)
}

// nodeAgent is FC601.
func (j *judge) nodeAgent(c *Client) Finding {
	who := fmt.Sprintf("user %q", c.User)
	if c.User == "" {
		who = "unknown user"
	}
	remedy := "Add a FlowSchema for this user to a priority level with more seats."
	if j.levels["system"] != nil {
		remedy = `Add a FlowSchema for this user to the priority level "system", after the FlowSchema "system-nodes": with a matchingPrecedence of 600.`
	}
	return finding(NodeAgent, c.object(), "",
		fmt.Sprintf("This client runs on nodes, and its requests (%s) share the priority level %q with the requests of all users that no other FlowSchema matches (FlowSchema %q). The logs have %d requests of it there; %d of them waited or were rejected.",
			who, c.PriorityLevel, c.FlowSchema, c.Requests, c.HeldUp),
		remedy).relatedTo(schemaObject(c.FlowSchema), levelObject(c.PriorityLevel))
}
