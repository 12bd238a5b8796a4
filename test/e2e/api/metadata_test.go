package api

import "strings"

// metadataTheme tests what the strategies decide about names, generations, metadata and status.
func metadataTheme() theme {
	const all, one, version = "prioritylevelconfigurations", "prioritylevelconfigurations/a", "metadata.resourceVersion"
	nameless := having(level("", 1), "metadata.name", nil)
	with := func(place string, value any) string { return having(level("a", 1), place, value) }
	return theme{"metadata", []testCase{
		{
			name: "names and where they come from",
			steps: []step{
				post(all, having(nameless, "metadata.generateName", "generated-")).saying(`"generateName":"generated-"`).keep("name", "metadata.name"), put(all+"/<name>", having(level("", 2), "metadata.name", "<name>")),
				put(all+"/<name>", nameless).gives(400), remove(all+"/<name>", ""), remove(all+"/<name>", "").gives(404),
				post(all, having(nameless, "metadata.generateName", "Bad_Prefix-")).gives(422), post(all, level("a.b-c.9", 1)), post(all, level("-a", 1)).gives(422), post(all, level("a/b", 1)).gives(422),
				post(all, level("..", 1)).gives(422), post(all, level("ä", 1)).gives(422), post(all, level(strings.Repeat("a", 253), 1)), post(all, level(strings.Repeat("a", 254), 1)).gives(422),
				put(all+"/b", level("a", 1)).gives(400).writesNothing(), put(all+"/b/status", level("a", 1)).gives(400), put(all+"/A", level("A", 1)).gives(404),
			},
		},
		{
			name: "the generation is the server's",
			steps: []step{
				post(all, with("metadata.generation", -5)).saying(`"generation":1`), put(one, having(level("a", 2), "metadata.generation", 90)).saying(`"generation":2`),
				put(one+"/status", with("metadata.generation", 91)).saying(`"generation":2`), put(one, with("spec.limited.nominalConcurrencyShares", 2)).writesNothing(), put(one, labelled(level("a", 2), "a=b")).saying(`"generation":2`),
				put(one, having(level("a", 2), "spec.limited.lendablePercent", 0)).saying(`"generation":2`), put(one, having(level("a", 2), "spec.limited.lendablePercent", 10)).saying(`"generation":3`),
				put(one, having(level("a", 2), "spec.limited.lendablePercent", -1)).gives(422), patch("merge", one, `{"metadata":{"generation":null}}`).saying(`"generation":3`),
			},
		},
		{
			name: "metadata that is not valid",
			steps: []step{
				post(all, with("metadata.labels", map[string]any{"a": strings.Repeat("v", 64), "/b": "x", "c": "-"})).gives(422), post(all, with("metadata.annotations", map[string]any{"bad key": "x", "": "y"})).gives(422),
				post(all, with("metadata.ownerReferences", []any{map[string]any{"apiVersion": "", "kind": "", "name": "", "uid": ""}})).gives(422),
				post(all, with("metadata.ownerReferences", []any{controller("one"), controller("two")})).gives(422), post(all, with("metadata.finalizers", []any{"plain"})).gives(422),
				put(one, with("metadata.labels", map[string]any{"bad key": "x"})).gives(404), post(all, level("a", 1)), put(one, with("metadata.labels", map[string]any{"bad key": "x"})).gives(422),
				put(one, with("metadata.ownerReferences", []any{controller("one"), controller("two")})).gives(422),
				put(one, with("metadata.namespace", "default")).without("namespace"), post(all, having(level("b", 1), "metadata.namespace", "default")).without("namespace"),
			},
		},
		{
			name: "metadata that a writer cannot choose",
			steps: []step{
				post(all, with("metadata.deletionTimestamp", "2001-01-01T00:00:00Z")).without("deletionTimestamp"), put(one, with("metadata.deletionGracePeriodSeconds", 5)).gives(422),
				put(one, with("metadata.selfLink", "/x")).without("selfLink"), put(one, with("metadata.creationTimestamp", nil)), put(one, with("metadata.uid", "")), put(one, with("metadata.generateName", "x-")),
				patch("merge", one, `{"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z","selfLink":"/y"}}`),
			},
		},
		{
			name: "status and spec keep apart",
			steps: []step{
				post(all, with("status.conditions", conditions("No"))).saying(`"status":{}`),
				put(one+"/status", having(having(level("a", 77), "status.conditions", conditions("Yes")), "metadata.finalizers", []any{"example.org/x"})).saying("Yes").without(`Shares":77`, "finalizers"),
				patch("merge", one+"/status", `{"metadata":{"labels":{"x":"y"}},"spec":{"limited":{"nominalConcurrencyShares":7}}}`).without(`"x":"y"`, `Shares":7`).writesNothing(),
				remove(one+"/status", "").gives(405), ask("POST", one+"/status", "{}").gives(405), put(all+"/b/status", level("b", 1)).gives(404), patch("merge", all+"/b/status", "{}").gives(404),
				put(one, having(level("a", 2), "status.conditions", conditions("No"))).saying("Yes").without(`"No"`), put(one+"/status", having(with("status", nil), "spec", nil)).without("Yes"),
				put(one+"/status", with("spec.limited.nominalConcurrencyShares", -1)).writesNothing(), put(one+"/status", with("status.conditions", append(conditions("T"), conditions("T")...))).gives(422),
				put(one+"/status", with("status.conditions", []any{map[string]any{"type": "", "status": ""}})).gives(422), put("flowschemas/exempt/status", flowSchema("other")).gives(400),
			},
		},
		{
			name: "an update knows the latest version, or none",
			steps: []step{
				post(all, level("a", 1)).keep("old", version).keep("uid", "metadata.uid"), put(one, having(level("a", 2), version, "<old>")),
				put(one, having(level("a", 3), version, "<old>")).gives(409).saying("Conflict").writesNothing(), put(one, having(level("a", 3), version, "<future>")).gives(409),
				put(one, having(level("a", 3), version, "0")), put(one, having(level("a", 4), "metadata.uid", "<uid>")), put(one, having(level("a", 5), "metadata.uid", "ab-cd")).gives(409),
				put(one+"/status", having(level("a", 5), version, "<old>")).gives(409), put(one, level("a", 6)), put(one, level("a", 6)).writesNothing(),
			},
		},
		{
			name: "a schema of a level that there is not",
			steps: []step{
				post("flowschemas", having(flowSchema("a"), "spec.priorityLevelConfiguration.name", "absent")),
				put("flowschemas/a", having(flowSchema("a"), "spec.priorityLevelConfiguration.name", "absent")),
			},
		},
		{
			name: "what is built in and mandatory keeps its spec",
			steps: []step{
				patch("merge", "flowschemas/exempt", `{"spec":{"matchingPrecedence":2}}`).gives(422), patch("merge", all+"/catch-all", `{"spec":{"limited":{"lendablePercent":1}}}`).gives(422),
				patch("merge", all+"/exempt", `{"spec":{"exempt":{"lendablePercent":1}}}`), patch("merge", "flowschemas/catch-all", `{"metadata":{"labels":{"a":"b"}}}`),
				// A dry run, because both servers restore built-in objects at different times.
				remove("flowschemas/catch-all?dryRun=All", "").writesNothing(), post("flowschemas", flowSchema("catch-all")).gives(422),
				post(all, level("exempt", 1)).gives(422), post(all, level("workload-low", 1)).gives(409).saying("AlreadyExists").writesNothing(),
			},
		},
	}}
}

// controller returns an owner reference of a controller.
func controller(uid string) map[string]any {
	return map[string]any{"apiVersion": "v1", "kind": "Node", "name": "n-" + uid, "uid": uid, "controller": true}
}
