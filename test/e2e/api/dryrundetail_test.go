package api

// dryRunDetailTheme tests the answers of dry runs, and that lists do not change.
func dryRunDetailTheme() theme {
	const all, one, dry = "prioritylevelconfigurations", "prioritylevelconfigurations/a", "?dryRun=All"
	create := post(all, labelled(level("a", 1), "set=x")).keep("now", "metadata.resourceVersion").keep("uid", "metadata.uid")
	held := post(all, having(level("a", 1), "metadata.finalizers", []any{"example.org/x"}))
	here := get(all + "?labelSelector=set").saying(`"resourceVersion":"`)
	return theme{"dry run details", []testCase{
		{
			name: "the list has the same version before and after", proves: []string{"dry.nothing"},
			steps: []step{
				create, here.keep("version", "metadata.resourceVersion"),
				post(all+dry, level("b", 1)), put(one+dry, level("a", 2)), patch("merge", one+dry, `{"metadata":{"labels":null}}`), patch("apply", one+dry+"&force=true&fieldManager=m", level("a", 3)),
				put(one+"/status"+dry, having(level("a", 1), "status.conditions", conditions("T"))).saying(`"T"`), remove(one+dry, ""), remove(all+dry, "").saying(`"items"`),
				get(all + "?labelSelector=set&resourceVersion=<version>&resourceVersionMatch=Exact"), here.saying(`"a"`), get(all + "/b").gives(404), get(one).saying(`"generation":1`),
				open("w", watch("resourceVersion=<version>&timeoutSeconds=1")), read("w", toEnd).without("object"),
			},
		},
		{
			name: "names are generated, defaults and managers shown", proves: []string{"dry.same"},
			steps: []step{
				post("flowschemas"+dry, having(having(flowSchema(""), "metadata.name", nil), "metadata.generateName", "generated-")).saying(`"matchingPrecedence":1000`, `"generation":1`, `"name":"generated-`).without("resourceVersion").writesNothing(),
				post("flowschemas"+dry+"&fieldManager=m", having(flowSchema("a"), "metadata.uid", "mine")).saying(`"manager":"m"`).without("mine"), post("flowschemas"+dry, flowSchema("exempt")).gives(422),
				post("flowschemas"+dry, having(flowSchema("exempt"), "spec.matchingPrecedence", nil)).gives(422),
				post("flowschemas"+dry, having(flowSchema("a"), "spec.unheard", 1)), post("flowschemas"+dry+"&fieldValidation=Strict", having(flowSchema("a"), "spec.unheard", 1)).gives(400), post("flowschemas"+dry, "{").gives(400),
				post("flowschemas"+dry, flowSchema("a")).with("Content-Type", "text/plain").gives(415),
				post("flowschemas"+dry+"&dryRun=All", flowSchema("a")).writesNothing(),
			},
		},
		{
			name: "updates that would fail, fail", proves: []string{"dry.same", "verbs.update-conflict"},
			steps: []step{
				create, put(one+dry, having(level("a", 2), "metadata.resourceVersion", "<now>")).saying(`"resourceVersion":"`).writesNothing(), put(one+dry, having(level("a", 2), "metadata.resourceVersion", "<before>")).gives(409),
				put(one+dry, having(level("a", 2), "metadata.uid", "other")).gives(409), put(one+dry, level("a", -2)).gives(422), put(one+dry, level("b", 2)).gives(400),
				put(one+dry, having(level("a", 2), "metadata.resourceVersion", "nonsense")).gives(400),
				put("prioritylevelconfigurations/catch-all"+dry, level("catch-all", 2)).gives(422), put(one+dry, labelled(level("a", 1), "set=x")).writesNothing(), patch("json", one+dry, `[{"op":"test","path":"/kind","value":"x"}]`).gives(422),
				patch("merge", one+"/status"+dry, `{"status":{"conditions":[{"type":"T","status":"True"},{"type":"T","status":"True"}]}}`).gives(422),
				patch("apply", one+"/status"+dry+"&fieldManager=m", having(level("a", 1), "status.conditions", conditions("T"))).saying(`"T"`).writesNothing(),
				patch("apply", one+dry, level("a", 1)).gives(422), patch("strategic-merge", all+"/none"+dry, "{}").gives(404),
			},
		},
		{
			name: "deletions that would fail, fail", proves: []string{"dry.same", "verbs.preconditions"},
			steps: []step{
				create, remove(one+dry, `{"preconditions":{"uid":"other"}}`).gives(409).writesNothing(), remove(one, `{"dryRun":["All"],"preconditions":{"uid":"<uid>","resourceVersion":"<now>"}}`).writesNothing(),
				remove(one, `{"dryRun":["All"],"preconditions":{"resourceVersion":"1"}}`).gives(409), remove(one, `{"dryRun":["All","All"]}`).writesNothing(), remove(one, `{"dryRun":["All","Some"]}`).gives(422),
				remove(one, `{"dryRun":"All"}`).gives(400).writesNothing(),
				remove(one, `{"dryRun":["All"],"propagationPolicy":"Background"}`).writesNothing(),
				remove(all, `{"dryRun":["All"]}`).saying(`"a"`).writesNothing(), remove(all+"?labelSelector=set", `{"dryRun":["All"],"propagationPolicy":"Sideways"}`).gives(422), get(one).without("deletionTimestamp"),
			},
		},
		{
			name: "the last finalizer goes, in a dry run", proves: []string{"dry.nothing", "verbs.finalizers"},
			steps: []step{
				held, remove(one, "").saying("deletionTimestamp"), patch("merge", one+dry, `{"metadata":{"finalizers":null}}`).without("example.org").writesNothing(), put(one+dry, level("a", 1)).writesNothing(),
				patch("apply", one+dry+"&fieldManager=m", level("a", 1)).writesNothing(), get(one).saying("example.org/x"), remove(one+dry, "").writesNothing(), patch("merge", one, `{"metadata":{"finalizers":null}}`), get(one).gives(404),
			},
		},
	}}
}
