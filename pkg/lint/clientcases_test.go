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
	inDefault := func(user, program string) Client {
		return Client{User: user, Program: program, FlowSchema: "global-default", PriorityLevel: "global-default", Requests: 340, HeldUp: 12}
	}
	filling := func(change func(*Client, *LevelTraffic)) change {
		c := Client{User: "system:serviceaccount:team:worker", FlowSchema: "mine", PriorityLevel: "mine", Requests: 500, HeldUp: 40, Leases: 30, HeldUpLeases: 4, SeatSeconds: 90}
		level := LevelTraffic{HeldUp: 44, SeatSeconds: 100}
		change(&c, &level)
		return withTraffic(Traffic{Clients: []Client{c}, Levels: map[string]LevelTraffic{"mine": level, "exempt": level}})
	}
	limited := func(level string, traffic LevelTraffic) change {
		return withTraffic(Traffic{
			Limits: []LimitedClient{{Object: Object{Kind: "User", Name: "robot"}, PriorityLevel: level, Said: 40, Longest: 2 * time.Second}},
			Levels: map[string]LevelTraffic{"mine": traffic},
		})
	}
	lists := func(version string, forbidden bool) change {
		return withTraffic(Traffic{Lists: []FailedList{{Object: Object{Kind: "Log", Name: "webhook.log"}, Version: version, Forbidden: forbidden, Warnings: 2, Errors: 1}}})
	}
	return []checkCase{
		{"a webhook that lists v1beta3", FailedLists, lists("v1beta3", false), []string{"warning"}},
		{"a webhook whose API server is older than v1", FailedLists, lists("v1", false), []string{"warning"}},
		{"a webhook that may not list v1", FailedLists, lists("v1", true), []string{"warning"}},
		{"a client that lists", FailedLists, withTraffic(Traffic{}), nil},
		{"a webhook that calls v1beta3", DeprecatedCall, withTraffic(Traffic{Calls: []DeprecatedCalls{{Object: Object{Kind: "User", Name: "webhook"}, Group: groupName, Version: "v1beta3", Removed: "1.32", Requests: 1}}}), []string{"warning"}},
		{"parts of the control plane that follow discovery", DeprecatedCall, withTraffic(Traffic{Calls: []DeprecatedCalls{
			{Object: Object{Kind: "User", Name: "gc"}, Group: "policy", Version: "v1beta1", Removed: "1.25", Requests: 1, Follows: "is a part"},
			{Object: Object{Kind: "User", Name: "quota"}, Group: "policy", Version: "v1beta1", Removed: "1.25", Requests: 1, Follows: "is a part"},
		}}), []string{"info"}},
		{"a client of v1", DeprecatedCall, withTraffic(Traffic{}), nil},
		{"a log has kube-proxy", NodeAgent, withClient(inDefault("system:kube-proxy", "kube-proxy")), []string{"warning"}},
		{"a log without users has kube-proxy", NodeAgent, withClient(inDefault("", "kube-proxy")), []string{"warning"}},
		{"a user who runs on no node", NodeAgent, withClient(inDefault("alice", "kubectl")), nil},
		{"nodes themselves", NodeAgent, withClient(inDefault("system:node:a", "kubelet")), nil},
		{"kube-proxy in another level", NodeAgent, withClient(Client{User: "system:kube-proxy", PriorityLevel: "system", FlowSchema: "mine", Requests: 7}), nil},

		{"a log of a leader that fills its level", HeldUpLeases, filling(func(*Client, *LevelTraffic) {}), []string{"warning"}},
		{"a level that others fill", HeldUpLeases, filling(func(c *Client, _ *LevelTraffic) { c.SeatSeconds = 40 }), nil},
		{"a level that holds nothing up", HeldUpLeases, filling(func(_ *Client, l *LevelTraffic) { l.HeldUp = 0 }), nil},
		{"a client without leases", HeldUpLeases, filling(func(c *Client, _ *LevelTraffic) { c.Leases = 2 }), nil},
		{"an exempt leader", HeldUpLeases, filling(func(c *Client, _ *LevelTraffic) { c.PriorityLevel = "exempt" }), nil},

		{"a leader that says that it could not renew its lease", LostLease, withTraffic(Traffic{Leases: []LateLease{{Object: Object{Kind: "User", Name: "robot"}, Lease: "shop/scaler", Failed: 3, Lost: 1, Cause: "etcd"}}}), []string{"warning"}},
		{"a leader that does not say which lease", LostLease, withTraffic(Traffic{Leases: []LateLease{{Object: Object{Kind: "Log", Name: "a.log"}, Failed: 1}}}), []string{"warning"}},
		{"a leader that renews its lease", LostLease, withTraffic(Traffic{}), nil},

		{"a limit, and a level that holds nothing up", ClientLimit, limited("mine", LevelTraffic{Known: 7}), []string{"warning"}},
		{"a limit, and a level that holds requests up", ClientLimit, limited("mine", LevelTraffic{Known: 7, HeldUp: 3}), []string{"info"}},
		{"a limit, and waits that are unknown", ClientLimit, limited("mine", LevelTraffic{SeatSeconds: 7}), []string{"info"}},
		{"a limit, and a level that is unknown", ClientLimit, limited("", LevelTraffic{Known: 7}), []string{"info"}},
		{"no limit, and rejections", ClientLimit, withTraffic(Traffic{Limits: []LimitedClient{{Object: Object{Kind: "Log", Name: "a.log"}, SaidServer: 3, Rejected: 2}}}), []string{"info"}},
		{"a limit, and rejections", ClientLimit, withTraffic(Traffic{Limits: []LimitedClient{{Object: Object{Kind: "Log", Name: "a.log"}, Said: 1, SaidServer: 3, Rejected: 2}}}), []string{"info"}},
		{"no log of a client says so", ClientLimit, withTraffic(Traffic{Levels: map[string]LevelTraffic{"mine": {Known: 7}}}), nil},
		{"a limit, and a level without one", ClientLimit, limited("exempt", LevelTraffic{Known: 7}), []string{"info"}},
	}
}
