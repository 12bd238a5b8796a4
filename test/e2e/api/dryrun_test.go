package api

// dryRunTheme tests dry runs.
func dryRunTheme() theme {
	const one, dry = "prioritylevelconfigurations/a", "?dryRun=All"
	return theme{"dry run", []testCase{
		{
			name: "every verb, and nothing moves", proves: []string{"dry.same", "dry.nothing"},
			steps: []step{
				post("prioritylevelconfigurations", labelled(having(level("a", 1), "metadata.finalizers", []any{"example.org/x"}), "set=x")).keep("now", "metadata.resourceVersion"),
				post("prioritylevelconfigurations", labelled(level("z", 1), "set=x")),
				open("w", watch("resourceVersion=<now>")), read("w", 1).saying(`"z"`),
				post("prioritylevelconfigurations"+dry, level("new", 1)).saying("uid").writesNothing(), post("prioritylevelconfigurations"+dry, level("a", 1)).gives(409),
				post("prioritylevelconfigurations"+dry, level("new", -1)).gives(422), put(one+dry, level("a", 2)).saying(`"generation":2`).writesNothing(),
				put(one+dry, having(level("a", 2), "metadata.resourceVersion", "1")).gives(409), put("prioritylevelconfigurations/new"+dry, level("new", 2)).gives(404),
				put(one+"/status"+dry, having(level("a", 1), "status.conditions", conditions("T"))).writesNothing(),
				patch("merge", one+dry, `{"spec":{"limited":{"nominalConcurrencyShares":3}}}`).writesNothing(), patch("json", one+dry, `[{"op":"remove","path":"/metadata/finalizers"}]`).writesNothing(),
				patch("strategic-merge", one+dry, `{"metadata":{"labels":{"x":"y"}}}`).writesNothing(), patch("apply", one+dry+"&fieldManager=m", level("a", 9)).gives(409).writesNothing(),
				patch("apply", one+dry+"&fieldManager=m&force=true", level("a", 9)).writesNothing(), patch("apply", "prioritylevelconfigurations/new"+dry+"&fieldManager=m", level("new", 9)).gives(201).writesNothing(),
				remove(one+dry, "").saying("deletionTimestamp").writesNothing(), remove("prioritylevelconfigurations/z"+dry, "").writesNothing(), remove("prioritylevelconfigurations/z", `{"dryRun":["All"]}`).writesNothing(),
				remove("prioritylevelconfigurations/new"+dry, "").gives(404), remove("prioritylevelconfigurations"+dry+"&labelSelector=set", "").writesNothing(),
				remove("prioritylevelconfigurations/z", ""), read("w", 1).saying("DELETED"),
			},
		},
		{
			name: "another value is rejected", proves: []string{"dry.value"},
			steps: []step{
				post("flowschemas?dryRun=Some", flowSchema("a")).gives(422).writesNothing(), post("flowschemas?dryRun=", flowSchema("a")).gives(422).writesNothing(),
				put("flowschemas/exempt?dryRun=all", flowSchema("exempt")).gives(422), patch("merge", "flowschemas/exempt?dryRun=true", `{}`).gives(422),
				post("flowschemas?dryRun=All&dryRun=Some", flowSchema("a")).gives(422), remove("flowschemas/exempt?dryRun=Some", "").gives(422).writesNothing(),
				remove("flowschemas/exempt", `{"dryRun":["Some"]}`).gives(422).writesNothing(), remove("flowschemas?dryRun=Some", "").gives(422).writesNothing(),
			},
		},
		{
			name: "a dry run in the URL is one although the deletion has a body", proves: []string{"dry.nothing"},
			alone: "kube-apiserver does not look at the URL when there is a body, and deletes",
			steps: []step{
				post("flowschemas", flowSchema("a")), remove("flowschemas/a"+dry, `{"propagationPolicy":"Background"}`).writesNothing(), get("flowschemas/a"),
				remove("flowschemas"+dry, `{"propagationPolicy":"Background"}`).writesNothing(),
			},
		},
	}}
}
