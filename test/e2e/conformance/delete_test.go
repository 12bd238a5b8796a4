package conformance

// deleteTheme tests deletions.
func deleteTheme() theme {
	const one = "prioritylevelconfigurations/a"
	create := post("prioritylevelconfigurations", level("a", 1)).keep("uid", "metadata.uid").keep("old", "metadata.resourceVersion")
	held := post("prioritylevelconfigurations", having(level("a", 1), "metadata.finalizers", []any{"example.org/one", "example.org/two"}))
	gone := get(one).gives(404)
	return theme{"deletions", []testCase{
		{
			name: "preconditions", proves: []string{"verbs.preconditions"},
			steps: []step{
				create, remove(one, `{"preconditions":{"uid":"other"}}`).gives(409).writesNothing(), remove(one, `{"preconditions":{"resourceVersion":"1"}}`).gives(409).writesNothing(),
				remove(one, `{"preconditions":{"uid":"<uid>","resourceVersion":"1"}}`).gives(409), remove(one, `{"preconditions":{"resourceVersion":"<old>","uid":"<uid>"}}`), gone,
				create, remove(one, `{"preconditions":{"uid":"<uid>"}}`), gone,
			},
		},
		{
			name: "finalizers delay the end", proves: []string{"verbs.finalizers"},
			steps: []step{
				held, remove(one, "").saying("deletionTimestamp"), get(one).saying(`"deletionGracePeriodSeconds":0`), remove(one, "").writesNothing(),
				patch("json", one, `[{"op":"add","path":"/metadata/finalizers/-","value":"example.org/three"}]`).gives(422),
				patch("merge", one, `{"spec":{"limited":{"nominalConcurrencyShares":2}}}`), post("prioritylevelconfigurations", level("a", 1)).gives(409),
				patch("merge", one, `{"metadata":{"finalizers":["example.org/two"]}}`), get(one), patch("merge", one, `{"metadata":{"finalizers":null}}`), gone,
			},
		},
		{
			name: "propagation", proves: []string{"verbs.propagation", "verbs.finalizers"},
			steps: []step{
				create, remove(one, `{"propagationPolicy":"Background"}`), gone, create, remove(one+"?propagationPolicy=Background", ""), gone,
				create, remove(one, `{"propagationPolicy":"Foreground"}`).saying("foregroundDeletion"), remove(one, `{"propagationPolicy":"Orphan"}`).saying("orphan"),
				patch("merge", one, `{"metadata":{"finalizers":null}}`), gone,
				create, remove(one, `{"orphanDependents":true}`), patch("merge", one, `{"metadata":{"finalizers":null}}`), gone,
				create, remove(one, `{"orphanDependents":false,"propagationPolicy":"Orphan"}`).gives(422), remove(one, `{"propagationPolicy":"Sideways"}`).gives(422),
				remove(one, `{"gracePeriodSeconds":10}`), gone, create, remove(one, `{"gracePeriodSeconds":-1}`), gone,
			},
		},
		{
			name: "collections, by selectors and limits", proves: []string{"verbs.deletecollection"},
			steps: []step{
				post("prioritylevelconfigurations", labelled(level("a", 1), "set=x")), post("prioritylevelconfigurations", labelled(level("b", 1), "set=x")),
				post("prioritylevelconfigurations", labelled(level("c", 1), "set=x")), post("prioritylevelconfigurations", labelled(level("d", 1), "set=y")),
				remove("prioritylevelconfigurations?dryRun=All&labelSelector=set", "").saying(`"a"`, `"d"`).writesNothing(),
				remove("prioritylevelconfigurations?labelSelector=set%3Dx&fieldSelector=metadata.name%21%3Db&limit=1", "").saying(`"a"`),
				list("labelSelector=set"),
				remove("prioritylevelconfigurations?fieldSelector=metadata.name%3Db", `{"propagationPolicy":"Foreground"}`).saying(`"b"`),
				remove("prioritylevelconfigurations?fieldSelector=spec.type%3DLimited", "").gives(400), remove("prioritylevelconfigurations?limit=many", "").gives(400),
				remove("prioritylevelconfigurations?labelSelector=set%3Dnone", "").saying(`"items":[]`).writesNothing(),
				list(""),
			},
		},
		{
			name: "bodies that are no options", proves: []string{"valid.bad-body", "valid.wrong-kind"},
			steps: []step{
				remove("flowschemas/exempt", "[]").gives(400).writesNothing(), remove("flowschemas/exempt", "{").gives(400), remove("flowschemas", "[]").gives(400).writesNothing(),
				remove("flowschemas/exempt", flowSchema("exempt")).gives(400).writesNothing(), remove("flowschemas/exempt", "7").gives(400),
				remove("flowschemas/exempt", toYAML(`{"dryRun":["All"]}`)).with("Content-Type", "application/yaml").writesNothing(),
			},
		},
	}}
}
