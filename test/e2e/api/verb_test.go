package api

// verbTheme tests writes of whole objects and of their status.
func verbTheme() theme {
	return theme{"verbs", append(writeCases(), statusCases()...)}
}

func writeCases() []testCase {
	schema := having(having(flowSchema("a"), "spec.matchingPrecedence", 700), "metadata.generation", 41)
	return []testCase{
		{
			name: "create, read, update, delete, of either kind",
			steps: []step{
				post("flowschemas", schema), get("flowschemas/a"), put("flowschemas/a", having(schema, "spec.matchingPrecedence", 701)), remove("flowschemas/a", ""),
				get("flowschemas/a").gives(404), remove("flowschemas/a", "").gives(404),
				post("prioritylevelconfigurations", level("a", 5)), get("prioritylevelconfigurations/a"),
				put("prioritylevelconfigurations/a", level("a", 6)), remove("prioritylevelconfigurations/a", ""),
				put("prioritylevelconfigurations/a", level("a", 6)).gives(404), // an update creates nothing
			},
		},
		{
			name: "a name that is taken",
			steps: []step{
				post("flowschemas", schema), post("flowschemas", flowSchema("a")).gives(409).saying("AlreadyExists").writesNothing(),
				post("prioritylevelconfigurations", level("exempt", 1)).gives(422),
				post("prioritylevelconfigurations", level("workload-low", 1)).gives(409),
			},
		},
		{
			name: "an update knows the latest version, or none",
			steps: []step{
				post("prioritylevelconfigurations", level("a", 1)).keep("old", "metadata.resourceVersion").keep("uid", "metadata.uid"),
				put("prioritylevelconfigurations/a", having(level("a", 2), "metadata.resourceVersion", "<old>")),
				put("prioritylevelconfigurations/a", having(level("a", 3), "metadata.resourceVersion", "<old>")).gives(409).saying("Conflict").writesNothing(),
				put("prioritylevelconfigurations/a", having(level("a", 3), "metadata.resourceVersion", "<future>")).gives(409),
				put("prioritylevelconfigurations/a", having(level("a", 3), "metadata.resourceVersion", "0")),
				put("prioritylevelconfigurations/a", having(level("a", 4), "metadata.uid", "<uid>")),
				put("prioritylevelconfigurations/a", having(level("a", 5), "metadata.uid", "ab-cd")).gives(409),
				put("prioritylevelconfigurations/a/status", having(level("a", 5), "metadata.resourceVersion", "<old>")).gives(409),
				put("prioritylevelconfigurations/a", level("a", 6)),
				put("prioritylevelconfigurations/a", level("a", 6)).writesNothing(),
			},
		},
		{
			name: "a schema of a level that there is not",
			steps: []step{
				post("flowschemas", having(flowSchema("a"), "spec.priorityLevelConfiguration.name", "absent")),
				put("flowschemas/a", having(flowSchema("a"), "spec.priorityLevelConfiguration.name", "absent")),
			},
		},
	}
}

func statusCases() []testCase {
	condition := func(object string) string {
		return having(object, "status", map[string]any{"conditions": []any{map[string]any{"type": "T", "status": "True", "lastTransitionTime": "2020-02-02T02:02:02Z"}}})
	}
	return []testCase{
		{
			name: "writes of the status leave the rest",
			steps: []step{
				post("prioritylevelconfigurations?fieldManager=creator", level("a", 1)),
				put("prioritylevelconfigurations/a/status?fieldManager=reporter", condition(labelled(level("a", 9), "from=status"))).
					saying(`"nominalConcurrencyShares":1`, "2020-02-02").without(`"from"`),
				patch("merge", "prioritylevelconfigurations/a/status", `{"metadata":{"labels":{"x":"y"},"finalizers":["example.org/x"]},"spec":{"limited":{"nominalConcurrencyShares":7}}}`).
					saying(`"nominalConcurrencyShares":1`).without(`"x":"y"`, "finalizers"),
				patch("apply", "prioritylevelconfigurations/a/status?fieldManager=zz", condition(level("a", 9))).saying(`"nominalConcurrencyShares":1`),
				get("prioritylevelconfigurations/a/status"), get("prioritylevelconfigurations/a"),
			},
		},
		{
			name: "no other verb has a status",
			steps: []step{
				post("prioritylevelconfigurations", level("a", 1)),
				remove("prioritylevelconfigurations/a/status", "").gives(405), ask("POST", "prioritylevelconfigurations/a/status", "{}").gives(405),
				put("prioritylevelconfigurations/b/status", level("b", 1)).gives(404),
				patch("merge", "prioritylevelconfigurations/b/status", "{}").gives(404),
				put("prioritylevelconfigurations/a/status", having(level("a", 1), "status", map[string]any{"conditions": []any{
					map[string]any{"type": "T", "status": "Perhaps"}, map[string]any{"type": "T", "status": "True"},
				}})).gives(422),
			},
		},
		{
			name: "what is built in and mandatory keeps its spec",
			steps: []step{
				patch("merge", "flowschemas/exempt", `{"spec":{"matchingPrecedence":2}}`).gives(422),
				patch("merge", "prioritylevelconfigurations/catch-all", `{"spec":{"limited":{"lendablePercent":1}}}`).gives(422),
				patch("merge", "prioritylevelconfigurations/exempt", `{"spec":{"exempt":{"lendablePercent":1}}}`),
				patch("merge", "flowschemas/catch-all", `{"metadata":{"labels":{"a":"b"}}}`),
				// A dry run, because both servers restore built-in objects at different
				// times.
				remove("flowschemas/catch-all?dryRun=All", "").writesNothing(), post("flowschemas", flowSchema("catch-all")).gives(422),
			},
		},
	}
}
