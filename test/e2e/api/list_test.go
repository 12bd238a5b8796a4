package api

// listTheme tests lists: selectors, and the table of versions.
func listTheme() theme {
	return theme{"lists", append(selectorCases(), append(versionCases(), forgottenCases()...)...)}
}

func selectorCases() []testCase {
	red, blue := labelled(level("a", 1), "team=red"), labelled(level("b", 2), "team=blue")
	return []testCase{
		{
			name: "labels select", proves: []string{"list.labels", "repr.json", "verbs.resource"},
			steps: []step{
				post("prioritylevelconfigurations", red), post("prioritylevelconfigurations", blue),
				get("prioritylevelconfigurations?labelSelector=team%3Dred").saying(`"a"`).without(`"b"`),
				get("prioritylevelconfigurations?labelSelector=team%21%3Dred").saying(`"b"`, `"exempt"`).without(`"a"`),
				get("prioritylevelconfigurations?labelSelector=team+in+(red,blue)").saying(`"a"`, `"b"`),
				get("prioritylevelconfigurations?labelSelector=team").without(`"exempt"`),
				get("prioritylevelconfigurations?labelSelector=%21team").without(`"a"`),
				get("prioritylevelconfigurations?labelSelector=team%3Dred&resourceVersion=0").without(`"b"`),
				get("prioritylevelconfigurations?labelSelector=none%3Dhere").saying(`"items":[]`),
				get("prioritylevelconfigurations?labelSelector=%21%21").gives(400),
			},
		},
		{
			name: "names select, other fields are rejected", proves: []string{"list.fields"},
			steps: []step{
				post("prioritylevelconfigurations", red), post("prioritylevelconfigurations", blue),
				get("prioritylevelconfigurations?fieldSelector=metadata.name%3Da").saying(`"a"`).without(`"b"`),
				get("prioritylevelconfigurations?fieldSelector=metadata.name%21%3Da").saying(`"b"`),
				get("prioritylevelconfigurations?fieldSelector=metadata.name%3Da&labelSelector=team%3Dblue").saying(`"items":[]`),
				get("prioritylevelconfigurations?fieldSelector=metadata.name%3Dabsent").saying(`"items":[]`),
				get("prioritylevelconfigurations?fieldSelector=spec.type%3DLimited").gives(400).saying("spec.type", "metadata.name"),
				get("flowschemas?fieldSelector=spec.matchingPrecedence%3D1").gives(400).saying("spec.matchingPrecedence"),
				get("flowschemas?fieldSelector=metadata.namespace%3D").gives(400).saying("metadata.name"),
				get("flowschemas?fieldSelector=nonsense").gives(400),
			},
		},
		{
			name: "options that cannot be read are rejected", proves: []string{"list.rv-unset"},
			steps: []step{
				get("flowschemas?resourceVersion=latest").gives(400),
				get("flowschemas?resourceVersion=-1").gives(400),
				get("flowschemas?resourceVersion=1.5").gives(400),
				get("flowschemas?resourceVersion=99999999999999999999999").gives(400),
				get("flowschemas?limit=many").gives(400),
				get("flowschemas?timeoutSeconds=soon").gives(400),
				get("flowschemas?sendInitialEvents=true").gives(422),
				get("flowschemas?unheard=of"),
			},
		},
	}
}

// list is a request for the levels with the given options.
func list(options string) step { return get("prioritylevelconfigurations?" + options) }

// versionCases are the rows of the contract's table, with its columns as steps.
// "a" exists in every requested version, "b" only in the latest.
func versionCases() []testCase {
	row := func(name, sentence string, steps ...step) testCase {
		return testCase{name: name, proves: []string{sentence}, steps: append([]step{
			post("prioritylevelconfigurations", level("a", 1)).keep("then", "metadata.resourceVersion"),
			post("prioritylevelconfigurations", level("b", 2)).keep("now", "metadata.resourceVersion"),
			list("limit=1").keep("token", "metadata.continue"),
		}, steps...)}
	}
	return []testCase{
		row("match unset, no paging", "list.rv-unset",
			list("").saying(`"b"`), list("resourceVersion=").saying(`"b"`), list("resourceVersion=0").saying(`"b"`),
			list("resourceVersion=<then>").saying(`"b"`), list("resourceVersion=<now>").saying(`"b"`), list("resourceVersion=1")),
		row("match unset, with a limit", "list.rv-limit",
			list("limit=2").saying(`"b"`), list("limit=500").saying(`"b"`), list("limit=500&resourceVersion=0").saying(`"b"`),
			list("limit=500&resourceVersion=<then>").saying(`"a"`).without(`"b"`), list("limit=1&resourceVersion=<then>").saying(`"a"`),
			list("limit=500&resourceVersion=<now>").saying(`"b"`), list("limit=0&resourceVersion=<then>").saying(`"b"`)),
		row("match unset, with a token", "list.rv-continue",
			list("limit=1&continue=<token>").saying(`"b"`), list("continue=<token>").saying(`"exempt"`),
			list("limit=1&resourceVersion=0&continue=<token>").saying(`"b"`),
			list("limit=1&resourceVersion=<now>&continue=<token>").gives(400)),
		row("match Exact", "list.rv-exact",
			list("resourceVersionMatch=Exact").gives(422), list("limit=1&resourceVersionMatch=Exact").gives(422),
			list("resourceVersionMatch=Exact&resourceVersion=0").gives(422), list("limit=1&resourceVersionMatch=Exact&resourceVersion=0").gives(422),
			list("resourceVersionMatch=Exact&resourceVersion=<then>").saying(`"a"`).without(`"b"`),
			list("limit=1&resourceVersionMatch=Exact&resourceVersion=<then>").saying(`"a"`),
			list("resourceVersionMatch=Exact&resourceVersion=<now>").saying(`"b"`),
			list("limit=1&resourceVersionMatch=Exact&resourceVersion=<now>&continue=<token>").gives(422)),
		row("match NotOlderThan", "list.rv-not-older",
			list("resourceVersionMatch=NotOlderThan").gives(422), list("limit=1&resourceVersionMatch=NotOlderThan").gives(422),
			list("resourceVersionMatch=NotOlderThan&resourceVersion=0").saying(`"b"`),
			list("limit=1&resourceVersionMatch=NotOlderThan&resourceVersion=0"),
			list("resourceVersionMatch=NotOlderThan&resourceVersion=<then>").saying(`"b"`),
			list("resourceVersionMatch=NotOlderThan&resourceVersion=<now>").saying(`"b"`),
			list("limit=1&resourceVersionMatch=NotOlderThan&resourceVersion=<now>").saying(`"a"`),
			list("resourceVersionMatch=NotOlderThan&resourceVersion=<now>&continue=<token>").gives(422)),
		row("match of no kind", "list.rv-exact",
			list("resourceVersionMatch=Nearly").gives(422), list("resourceVersionMatch=Nearly&resourceVersion=<now>").gives(422),
			list("resourceVersionMatch=exact&resourceVersion=<now>").gives(422)),
	}
}

// forgottenCases request versions that do not exist yet or are compacted.
func forgottenCases() []testCase {
	return []testCase{
		{
			name: "a version from the future is waited for, in vain", proves: []string{"list.future"},
			steps: []step{list("resourceVersion=<future>").gives(504).saying("Too large resource version", "retryAfterSeconds")},
		},
		{
			name: "so is one that must not be older", proves: []string{"list.future"},
			steps: []step{list("resourceVersionMatch=NotOlderThan&resourceVersion=<future>").gives(504).saying("Too large resource version")},
		},
		{
			name: "an exact version from the future", proves: []string{"list.future"},
			steps: []step{
				list("resourceVersionMatch=Exact&resourceVersion=<future>").gives(504).saying("Too large resource version"),
				list("limit=1&resourceVersion=<future>").gives(504).saying("Too large resource version"),
			},
		},
		{
			name: "a version compacted away", proves: []string{"list.compacted"},
			steps: []step{
				post("prioritylevelconfigurations", level("a", 1)).keep("then", "metadata.resourceVersion"),
				post("prioritylevelconfigurations", level("b", 2)),
				compaction(),
				list("resourceVersionMatch=Exact&resourceVersion=<then>").gives(410).saying("Expired").givesSince("0.36", 200),
				list("limit=1&resourceVersionMatch=Exact&resourceVersion=<then>").gives(410).givesSince("0.36", 200),
				list("limit=1&resourceVersion=<then>").gives(410).givesSince("0.36", 200),
				list("resourceVersion=<then>").saying(`"b"`),
				list("resourceVersionMatch=NotOlderThan&resourceVersion=<then>").saying(`"b"`),
			},
		},
	}
}
