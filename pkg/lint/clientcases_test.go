package lint

import (
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// with changes the facts, and selects all findings.
func with(change func(*Facts)) change {
	return func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
		bundle.Only = nil
		change(&bundle.Facts)
	}
}

func withTraffic(t Traffic) change { return with(func(f *Facts) { f.Traffic = &t }) }

func withClient(c Client) change { return withTraffic(Traffic{Clients: []Client{c}}) }

// clientCases are the cases of FC6xx.
func clientCases() []checkCase {
	agent := func(a Agent) change { return with(func(f *Facts) { f.Agents = []Agent{a} }) }
	daemon := Object{Kind: "DaemonSet", Name: "monitoring/exporter"}
	static := Agent{Object: Object{Kind: "Pod", Name: "kube-system/kube-proxy-a"}, User: "system:kube-proxy"}
	inDefault := func(user, program string, onNodes, nodes int) Client {
		return Client{User: user, Program: program, FlowSchema: "global-default", PriorityLevel: "global-default", Requests: 340, HeldUp: 12, OnNodes: onNodes, Nodes: nodes}
	}
	leader := func(level string, precedence int32, resources ...string) change {
		return func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			*schema = everything("mine", precedence, anAccount("team", "worker"))
			schema.Spec.PriorityLevelConfiguration.Name = level
			if len(resources) > 0 {
				schema.Spec.Rules[0].ResourceRules[0].Resources = resources
			}
			bundle.Facts.Leaders = []Leader{{LeaseNamespace: "team", Lease: "worker-lock", Namespace: "team", ServiceAccount: "worker"}}
		}
	}
	filling := func(change func(*Client, *LevelTraffic)) change {
		c := Client{User: "system:serviceaccount:team:worker", FlowSchema: "mine", PriorityLevel: "mine", Requests: 500, HeldUp: 40, Leases: 30, HeldUpLeases: 4, SeatSeconds: 90}
		level := LevelTraffic{HeldUp: 44, SeatSeconds: 100, Peak: 20}
		change(&c, &level)
		return withTraffic(Traffic{Clients: []Client{c}, Levels: map[string]LevelTraffic{"mine": level, "exempt": level}})
	}
	limited := func(change func(*LimitedClient)) change {
		c := LimitedClient{
			Object: Object{Kind: "User", Name: "robot"}, PriorityLevel: "mine", Requests: 210, Burst: 10, PerSecond: 5, Span: 42 * time.Second,
			Free: new(17), RequestSeatSeconds: 0.02,
		}
		change(&c)
		return withTraffic(Traffic{Limits: []LimitedClient{c}})
	}
	said := func(c *LimitedClient) { c.Said, c.Longest = 40, 2*time.Second }
	return []checkCase{
		{"kube-proxy as a static pod", NodeAgent, agent(static), []string{"warning"}},
		{"a DaemonSet without a schema for service accounts", NodeAgent, func(bundle *Bundle, _ *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			bundle.Only, bundle.Facts.Agents = []Object{daemon}, []Agent{{Object: daemon, Namespace: "monitoring", ServiceAccount: "exporter"}}
			var others []*flowcontrolv1.FlowSchema
			for _, schema := range bundle.FlowSchemas {
				if schema.Name != "service-accounts" {
					others = append(others, schema)
				}
			}
			bundle.FlowSchemas = others
		}, []string{"warning"}},
		{"a DaemonSet in the level of service accounts", NodeAgent, agent(Agent{Object: daemon, Namespace: "monitoring", ServiceAccount: "exporter"}), nil},
		{"kube-proxy of kubeadm, with a service account of kube-system", NodeAgent, agent(Agent{Object: daemon, Namespace: "kube-system", ServiceAccount: "kube-proxy"}), nil},
		{"kube-proxy with a schema of its own", NodeAgent, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, _ *flowcontrolv1.PriorityLevelConfiguration) {
			*schema = everything("mine", 600, aUser("system:kube-proxy"))
			schema.Spec.PriorityLevelConfiguration.Name = "system"
			bundle.Only, bundle.Facts.Agents = nil, []Agent{static}
		}, nil},
		{"a log has kube-proxy", NodeAgent, withClient(inDefault("system:kube-proxy", "kube-proxy", 0, 0)), []string{"warning"}},
		{"a log without users has kube-proxy", NodeAgent, withClient(inDefault("", "kube-proxy", 0, 0)), []string{"warning"}},
		{"a user sends from half of the nodes", NodeAgent, withClient(inDefault("cni", "cni", 3, 6)), []string{"warning"}},
		{"a user sends from one node", NodeAgent, withClient(inDefault("alice", "kubectl", 1, 1)), nil},
		{"a user sends from few of many nodes", NodeAgent, withClient(inDefault("alice", "kubectl", 3, 7)), nil},
		{"nodes themselves", NodeAgent, withClient(inDefault("system:node:a", "kubelet", 1, 1)), nil},
		{"kube-proxy in another level", NodeAgent, withClient(Client{User: "system:kube-proxy", PriorityLevel: "system", FlowSchema: "mine", Requests: 7}), nil},

		{"a leader whose level is its own", HeldUpLeases, leader("mine", 1000), []string{"info spec.rules"}},
		{"a leader in a built-in level", HeldUpLeases, leader("workload-high", 1000), nil},
		{"a leader whose leases come first elsewhere", HeldUpLeases, func(bundle *Bundle, schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) {
			leader("mine", 1000)(bundle, schema, level)
			first := everything("first", 950, anAccount("team", "worker"))
			first.Spec.PriorityLevelConfiguration.Name = "leader-election"
			first.Spec.Rules[0].ResourceRules[0].Resources = []string{leases}
			bundle.FlowSchemas = append(bundle.FlowSchemas, &first)
		}, nil},
		{"a schema of leases alone", HeldUpLeases, leader("mine", 1000, leases), nil},
		{"a log of a leader that fills its level", HeldUpLeases, filling(func(*Client, *LevelTraffic) {}), []string{"warning"}},
		{"a log of a leader that has all seats in use", HeldUpLeases, filling(func(_ *Client, l *LevelTraffic) { l.HeldUp, l.Peak = 0, 1000 }), []string{"warning"}},
		{"a level that others fill", HeldUpLeases, filling(func(c *Client, _ *LevelTraffic) { c.SeatSeconds = 40 }), nil},
		{"a level with free seats", HeldUpLeases, filling(func(_ *Client, l *LevelTraffic) { l.HeldUp = 0 }), nil},
		{"a client without leases", HeldUpLeases, filling(func(c *Client, _ *LevelTraffic) { c.Leases = 2 }), nil},
		{"an exempt leader", HeldUpLeases, filling(func(c *Client, _ *LevelTraffic) { c.PriorityLevel = "exempt" }), nil},

		{"an even rate, free seats", ClientLimit, limited(func(*LimitedClient) {}), []string{"info"}},
		{"the client says so, free seats", ClientLimit, limited(said), []string{"warning"}},
		{"the client says so, level unknown", ClientLimit, limited(func(c *LimitedClient) { said(c); c.PriorityLevel, c.Free = "", nil }), []string{"info"}},
		{"the client says so, and its level holds requests up", ClientLimit, limited(func(c *LimitedClient) { said(c); c.HeldUp = 3 }), []string{"info"}},
		{"an even rate, no free seats", ClientLimit, limited(func(c *LimitedClient) { c.Free = new(0) }), nil},
		{"an even rate, seats unknown", ClientLimit, limited(func(c *LimitedClient) { c.Free = nil }), nil},
		{"an even rate, the level holds requests up", ClientLimit, limited(func(c *LimitedClient) { c.HeldUp = 1 }), nil},
	}
}

// policyCases are the cases of webhooks and policies that hold levels up.
func policyCases() []checkCase {
	callback := func(requests, meanwhile int, busy float64) change {
		return withTraffic(Traffic{Callbacks: []Callback{{
			Object: Object{Kind: "ValidatingWebhookConfiguration", Name: "policy"}, User: "system:serviceaccount:policy:hook", PriorityLevel: "workload-low",
			Requests: requests, Meanwhile: meanwhile, Busy: busy, Example: "list configmaps",
		}}})
	}
	policy := func(p Policy) change {
		p.Object = Object{Kind: "ValidatingAdmissionPolicy", Name: "team"}
		all := []string{wildcard}
		if p.Requests == nil {
			p.Requests = []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"create"}, APIGroups: []string{""}, Resources: []string{"pods"}, Namespaces: all}}
		}
		return with(func(f *Facts) { f.Policies = []Policy{p} })
	}
	const fast, slow = time.Millisecond, 30 * time.Millisecond
	return []checkCase{
		{"requests while others wait for the webhook", WebhookRequests, callback(40, 38, 0.2), []string{"warning"}},
		{"requests at any time", WebhookRequests, callback(40, 9, 0.2), nil},
		{"a webhook that is always asked", WebhookRequests, callback(40, 40, 0.97), nil},
		{"too few requests to tell", WebhookRequests, callback(4, 4, 0.1), nil},
		{"a remote authorizer that is slow", PolicyChecks, policy(Policy{Authorizes: true, Webhook: slow}), []string{"warning"}},
		{"a remote authorizer that is fast", PolicyChecks, policy(Policy{Authorizes: true, Webhook: fast, Checks: 7, Took: fast}), []string{"info"}},
		{"an authorizer in the server", PolicyChecks, policy(Policy{Authorizes: true, Checks: 7, Took: fast}), nil},
		{"many parameters", PolicyChecks, policy(Policy{Parameters: true}), []string{"info"}},
		{"a policy that takes long", PolicyChecks, policy(Policy{Checks: 7, Took: slow}), []string{"warning"}},
		{"a policy that does not", PolicyChecks, policy(Policy{Checks: 7, Took: fast}), nil},
		{"requests that no limited level has", PolicyChecks, policy(Policy{Parameters: true, Requests: []flowcontrolv1.ResourcePolicyRule{{Verbs: []string{"create"}}}}), nil},
	}
}
