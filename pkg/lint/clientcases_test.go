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

// clientCases are the cases of FC6xx.
func clientCases() []checkCase {
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
		{"a client of v1", DeprecatedCall, withTraffic(Traffic{}), nil},
		{"a limit, and a level that holds nothing up", ClientLimit, limited("mine", LevelTraffic{Known: 7}), []string{"warning"}},
		{"a limit, and a level that holds requests up", ClientLimit, limited("mine", LevelTraffic{Known: 7, HeldUp: 3}), []string{"info"}},
		{"a limit, and waits that are unknown", ClientLimit, limited("mine", LevelTraffic{}), []string{"info"}},
		{"a limit, and a level that is unknown", ClientLimit, limited("", LevelTraffic{Known: 7}), []string{"info"}},
		{"no limit, and rejections", ClientLimit, withTraffic(Traffic{Limits: []LimitedClient{{Object: Object{Kind: "Log", Name: "a.log"}, SaidServer: 3, Rejected: 2}}}), []string{"info"}},
		{"a limit, and rejections", ClientLimit, withTraffic(Traffic{Limits: []LimitedClient{{Object: Object{Kind: "Log", Name: "a.log"}, Said: 1, SaidServer: 3, Rejected: 2}}}), []string{"info"}},
		{"no log of a client says so", ClientLimit, withTraffic(Traffic{Levels: map[string]LevelTraffic{"mine": {Known: 7}}}), nil},
		{"a limit, and a level without one", ClientLimit, limited("exempt", LevelTraffic{Known: 7}), []string{"info"}},
	}
}
