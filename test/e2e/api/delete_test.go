package api

import "slices"

// collected is why cases have no peer: they end where only a server without a
// garbage collector ends them.
const collected = "kube-apiserver leaves finalizers to the garbage collector of its cluster, which this server alone does not have"

// deleteTheme tests deletions.
func deleteTheme() theme {
	const one = "prioritylevelconfigurations/a"
	create := post("prioritylevelconfigurations", level("a", 1)).keep("uid", "metadata.uid").keep("old", "metadata.resourceVersion")
	held := post("prioritylevelconfigurations", having(level("a", 1), "metadata.finalizers", []any{"example.org/one", "example.org/two"}))
	gone := get(one).gives(404)
	brings := func(finalizers ...any) step {
		return post("prioritylevelconfigurations", having(level("a", 1), "metadata.finalizers", finalizers))
	}
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
				create, remove(one, `{"orphanDependents":false,"propagationPolicy":"Orphan"}`).gives(422), remove(one, `{"propagationPolicy":"Sideways"}`).gives(422),
				remove(one, `{"gracePeriodSeconds":10}`), gone, create, remove(one, `{"gracePeriodSeconds":-1}`), gone,
			},
		},
		{
			name: "propagation without a garbage collector", proves: []string{"verbs.propagation", "verbs.finalizers"}, alone: collected,
			steps: slices.Concat(
				[]step{create, remove(one, `{"propagationPolicy":"Foreground"}`).saying("Success"), gone, create, remove(one+"?propagationPolicy=Orphan", "").saying("Success"), gone},
				[]step{create, remove(one, `{"orphanDependents":true}`).saying("Success"), gone, create, remove(one+"?orphanDependents=maybe", "").saying("Success"), gone, create, remove(one, `{"orphanDependents":false}`).saying("Success"), gone},
				[]step{brings("orphan"), remove(one, "").saying("Success"), gone, brings("foregroundDeletion"), remove(one, `{"propagationPolicy":"Background"}`).saying("Success"), gone},
				[]step{brings("foregroundDeletion"), remove(one, `{"propagationPolicy":"Foreground"}`).saying("Success"), gone},
				[]step{brings("example.org/x", "orphan"), remove(one, "").saying("deletionTimestamp", `"finalizers":["example.org/x"]`), patch("merge", one, `{"metadata":{"finalizers":null}}`), gone},
			),
		},
		{
			name: "collections without a garbage collector", proves: []string{"verbs.propagation", "verbs.deletecollection"}, alone: collected,
			steps: []step{
				post("prioritylevelconfigurations", labelled(level("a", 1), "set=x")), post("prioritylevelconfigurations", labelled(having(level("b", 1), "metadata.finalizers", []any{"orphan"}), "set=x")),
				remove("prioritylevelconfigurations?labelSelector=set", `{"propagationPolicy":"Foreground"}`), gone, get("prioritylevelconfigurations/b").gives(404),
				create, remove("prioritylevelconfigurations?fieldSelector=metadata.name%3Da", `{"propagationPolicy":"Orphan"}`), gone,
				create, remove("prioritylevelconfigurations?fieldSelector=metadata.name%3Da", `{"orphanDependents":true}`), gone,
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
				remove("prioritylevelconfigurations?fieldSelector=metadata.name%3Db", `{"propagationPolicy":"Background"}`).saying(`"b"`),
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
