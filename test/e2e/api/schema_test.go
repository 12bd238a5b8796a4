package api

// schemaTheme tests what the published schemas decide: how patches and apply merge lists, and the
// owner of a field in each version.
func schemaTheme() theme {
	const one, status = "flowschemas/a", "flowschemas/a/status"
	with := func(kinds ...string) string {
		var all []any
		for _, kind := range kinds {
			all = append(all, conditions(kind)...)
		}
		return having(flowSchema("a"), "status.conditions", all)
	}
	ruled := func(users ...string) string {
		var all []any
		for _, user := range users {
			all = append(all, rules(user)...)
		}
		return having(flowSchema("a"), "spec.rules", all)
	}
	apply := func(manager, path, object string) step { return patch("apply", path+"?fieldManager="+manager, object) }
	return theme{"schemas", []testCase{
		{
			name: "Strategic Merge Patch merges conditions by type",
			steps: []step{
				post("flowschemas", flowSchema("a")),
				patch("strategic-merge", status, `{"status":{"conditions":[{"type":"First","status":"True"}]}}`),
				patch("strategic-merge", status, `{"status":{"conditions":[{"type":"Second","status":"False"}]}}`).saying("First", "Second"),
				patch("strategic-merge", status, `{"status":{"conditions":[{"type":"First","$patch":"delete"}]}}`).without("First"),
				patch("strategic-merge", one, `{"spec":{"rules":[{"subjects":[{"kind":"User","user":{"name":"u"}}],"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]}]}}`),
				patch("strategic-merge", one, `{"spec":{"rules":null,"matchingPrecedence":9}}`).without(`"u"`),
			},
		},
		{
			name: "apply: conditions are a map by type",
			steps: []step{
				apply("m", one, flowSchema("a")).gives(201), apply("m", status, with("One", "Two")), apply("n", status, with("Two", "Three")),
				apply("m", status, with("One")).saying("One", "Two", "Three"), apply("n", status, with("Three")).without("Two"),
			},
		},
		{
			name: "apply: lists of a rule are replaced whole",
			steps: []step{
				apply("m", one, ruled("u", "v")).gives(201).saying(`"f:rules":{}`), apply("m", one, ruled("v")).without(`"u"`), apply("n", one, ruled("v")),
				apply("n", one, ruled("v", "w")).gives(409).saying(`".spec.rules"`), apply("n", one, flowSchema("a")).saying(`"v"`), apply("m", one, ruled()).without(`"v"`),
			},
		},
		{
			name: "apply: status beside spec",
			steps: []step{
				apply("m", one, with("Mine")).gives(201).saying(`"status":{}`).without(`"f:status"`), apply("m", status, labelled(with("Mine"), "a=b")).saying("Mine").without(`"a":"b"`),
				apply("m", status, having(with("Mine"), "spec.matchingPrecedence", 3)).saying(`"matchingPrecedence":1000`).writesNothing(), apply("m", one, flowSchema("a")).saying("Mine").writesNothing(),
				put(one+"?fieldManager=u", labelled(with(), "x=y")).saying("Mine"), put(status+"?fieldManager=u", with("Mine", "Yours")).saying("Yours"),
				apply("m", status, having(flowSchema("a"), "status", map[string]any{})).without("Mine").saying("Yours"),
			},
		},
		{
			name: "apply: fields of a level change hands",
			steps: []step{
				applied("one", level("a", 10)).gives(201), applied("two", level("a", 10)), applied("three", level("a", 30)).gives(409).saying(".spec.limited.nominalConcurrencyShares").writesNothing(),
				patch("apply", "prioritylevelconfigurations/a?force=true&fieldManager=three", level("a", 30)), applied("one", having(level("a", 10), "spec", nil)), applied("two", having(level("a", 10), "spec", nil)),
				applied("three", having(level("a", 30), "spec.limited.limitResponse", map[string]any{"type": "Queue", "queuing": map[string]any{"queues": 8, "handSize": 2}})).saying(`"queueLengthLimit":50`),
				applied("three", having(level("a", 30), "spec", nil)).gives(422),
			},
		},
		{name: "apply: two versions of one object", beta: true, steps: versionSteps()},
	}}
}

// applied is a step where a manager applies a level.
func applied(manager, object string) step {
	return patch("apply", "prioritylevelconfigurations/a?fieldManager="+manager, object)
}

func rules(user string) []any {
	return []any{map[string]any{
		"subjects":         []any{map[string]any{"kind": "User", "user": map[string]any{"name": user}}},
		"nonResourceRules": []any{map[string]any{"verbs": []any{"get"}, "nonResourceURLs": []any{"/x"}}},
	}}
}

func conditions(kind string) []any { return []any{map[string]any{"type": kind, "status": "True"}} }

// versionSteps applies one level in both versions.
func versionSteps() []step {
	old := func(object string) step {
		return patch("apply", v1beta3Path+"prioritylevelconfigurations/a?fieldManager=old", inBeta(object))
	}
	return []step{
		old(having(level("a", 10), "spec.limited.lendablePercent", 20)).gives(201).saying(`"apiVersion":"flowcontrol.apiserver.k8s.io/v1beta3","time"`),
		applied("new", level("a", 10)).saying(`"manager":"new"`, `"apiVersion":"flowcontrol.apiserver.k8s.io/v1","fieldsType"`, `"manager":"old"`),
		applied("new", level("a", 11)).gives(409).saying(`conflict with \"old\"`, ".spec.limited.nominalConcurrencyShares").writesNothing(),
		old(level("a", 12)).gives(409).saying(`conflict with \"new\"`),
		old(level("a", 10)).saying(`"lendablePercent":0`), // a field that is no longer applied gets its default
		applied("new", having(level("a", 10), "spec.limited.nominalConcurrencyShares", 0)).gives(409), old(having(level("a", 10), "spec", nil)),
		applied("new", level("a", 0)).saying(`"nominalConcurrencyShares":0`), get(v1beta3Path+"prioritylevelconfigurations/a").saying("preserve-zero", `"nominalConcurrencyShares":0`),
		applied("old", level("a", 0)).saying(`"manager":"old"`), applied("new", level("a", 5)).gives(409).saying(`conflict with \"old\"`),
	}
}
