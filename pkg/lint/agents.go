package lint

import (
	"cmp"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Agent is a program that runs on nodes, and sends requests as a user of its own.
type Agent struct {
	// Object is its DaemonSet, or one of its static pods, as NAMESPACE/NAME.
	Object Object
	// Namespace and ServiceAccount are its pods'. Without a service account, User is the user that
	// the program has by convention.
	Namespace, ServiceAccount, User string
}

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
	if t := j.Facts.Traffic; t != nil {
		for _, client := range agentsIn(t.Clients) {
			if seen[client.object()] {
				continue
			}
			seen[client.object()] = true
			j.add(j.nodeAgent(client.object(), client.User, client.PriorityLevel, client.FlowSchema, evidenceOf(client)))
		}
	}
	if len(j.Facts.Agents) == 0 {
		return
	}
	matching := j.matcher()
	for i := range j.Facts.Agents {
		agent := &j.Facts.Agents[i]
		request := agent.request()
		schema := matching.schemaOf(&request)
		if schema == nil || !isForUnknownUsers(schema.Spec.PriorityLevelConfiguration.Name) || seen[Object{Kind: "User", Name: request.User}] {
			continue
		}
		j.add(j.nodeAgent(agent.Object, request.User, schema.Spec.PriorityLevelConfiguration.Name, schema.Name, agent.assumption()))
	}
}

// request returns what agents of nodes send: they list Services, which have a namespace,
// in all namespaces.
func (a *Agent) request() flow.Attributes {
	request := flow.Attributes{User: a.User, Groups: []string{user.AllAuthenticated}, IsResourceRequest: true}
	if a.ServiceAccount != "" {
		request = requestOf(a.Namespace, a.ServiceAccount)
	}
	request.Verb, request.APIVersion, request.Resource = "list", "v1", "services"
	return request
}

func (a *Agent) assumption() string {
	if a.ServiceAccount != "" {
		return ""
	}
	return fmt.Sprintf(" That %q is its user is assumed from its name, because a static pod has no service account.", a.User)
}

// agentsIn returns the clients on nodes in a level for unknown users, those with the most
// requests first.
func agentsIn(clients []Client) []*Client {
	var found []*Client
	for i := range clients {
		c := &clients[i]
		if isForUnknownUsers(c.PriorityLevel) && c.runsOnNodes() {
			found = append(found, c)
		}
	}
	slices.SortStableFunc(found, func(a, b *Client) int { return cmp.Compare(b.Requests, a.Requests) })
	return found
}

// runsOnNodes reports whether the client is known to run on nodes.
func (c *Client) runsOnNodes() bool {
	const proxy, detector = "kube-proxy", "node-problem-detector"
	return c.User == "system:"+proxy || c.User == "system:"+detector || c.User == "" && (c.Program == proxy || c.Program == detector)
}

func evidenceOf(c *Client) string {
	return fmt.Sprintf(" The logs have %d requests of it there; %d of them waited or were rejected.", c.Requests, c.HeldUp)
}

// nodeAgent is FC601.
func (j *judge) nodeAgent(object Object, name, level, schema, evidence string) Finding {
	who := fmt.Sprintf("user %q", name)
	if name == "" {
		who = "unknown user"
	}
	remedy := "Add a FlowSchema for this user to a priority level with more seats."
	if j.levels["system"] != nil {
		remedy = `Add a FlowSchema for this user to the priority level "system", after the FlowSchema "system-nodes": with a matchingPrecedence of 600.`
	}
	return finding(NodeAgent, object, "",
		fmt.Sprintf("This client runs on nodes, and its requests (%s) share the priority level %q with the requests of all users that no other FlowSchema matches (FlowSchema %q).%s", who, level, schema, evidence),
		remedy).relatedTo(schemaObject(schema), levelObject(level))
}
