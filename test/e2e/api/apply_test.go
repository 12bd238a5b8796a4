package api

// applyTheme tests server-side apply.
func applyTheme() theme {
	return theme{"apply", append(ownershipCases(), append(recordCases(), applyRejections()...)...)}
}

// applied is a step where a manager applies an object with a name.
func applied(manager, name, object string) step {
	return patch("apply", "prioritylevelconfigurations/"+name+"?fieldManager="+manager, object)
}

// forced is applied with force.
func forced(manager, name, object string) step {
	return patch("apply", "prioritylevelconfigurations/"+name+"?force=true&fieldManager="+manager, object)
}

func ownershipCases() []testCase {
	return []testCase{
		{
			name: "create, share, conflict, force", proves: []string{"apply.share", "apply.conflict", "apply.force", "apply.managed-fields", "patch.apply"},
			steps: []step{
				applied("one", "a", level("a", 10)).gives(201), applied("two", "a", level("a", 10)),
				applied("three", "a", level("a", 30)).gives(409).saying(`conflict with \"one\"`, `conflict with \"two\"`, ".spec.limited.nominalConcurrencyShares").writesNothing(),
				forced("three", "a", level("a", 30)), applied("one", "a", level("a", 10)).gives(409).saying(`conflict with \"three\"`),
				put("prioritylevelconfigurations/a?fieldManager=editor", level("a", 31)), applied("three", "a", level("a", 30)).gives(409).saying(`conflict with \"editor\"`),
			},
		},
		{
			name: "give up, and remove what nobody owns", proves: []string{"apply.give-up", "apply.share"},
			steps: []step{
				applied("one", "a", labelled(level("a", 10), "mine=yes", "ours=yes")).gives(201), applied("two", "a", labelled(level("a", 10), "ours=yes")),
				applied("one", "a", level("a", 10)).saying("ours").without("mine"), applied("two", "a", level("a", 10)).without("ours"),
				applied("one", "a", having(level("a", 10), "spec", nil)), applied("two", "a", having(level("a", 10), "spec", nil)).gives(422),
			},
		},
		{
			name: "lists merge or are replaced", proves: []string{"apply.lists"},
			steps: []step{
				patch("apply", "flowschemas/a?fieldManager=one", having(flowSchema("a"), "spec.rules", rules("u"))).gives(201),
				patch("apply", "flowschemas/a?fieldManager=two", having(flowSchema("a"), "spec.rules", rules("v"))).gives(409).saying(".spec.rules"),
				patch("apply", "flowschemas/a?fieldManager=two&force=true", having(flowSchema("a"), "spec.rules", rules("v"))).without(`"u"`),
				patch("apply", "flowschemas/a/status?fieldManager=one", having(flowSchema("a"), "status.conditions", conditions("First"))),
				patch("apply", "flowschemas/a/status?fieldManager=two", having(flowSchema("a"), "status.conditions", conditions("Second"))).saying("First", "Second"),
				patch("apply", "flowschemas/a/status?fieldManager=one", having(flowSchema("a"), "status.conditions", []any{})).without("First"),
				patch("apply", "flowschemas/a?fieldManager=one", having(flowSchema("a"), "metadata.finalizers", []any{"example.org/a"})),
				patch("apply", "flowschemas/a?fieldManager=two&force=true", having(flowSchema("a"), "metadata.finalizers", []any{"example.org/b"})).saying("org/a", "org/b"),
			},
		},
	}
}

func rules(user string) []any {
	return []any{map[string]any{
		"subjects":         []any{map[string]any{"kind": "User", "user": map[string]any{"name": user}}},
		"nonResourceRules": []any{map[string]any{"verbs": []any{"get"}, "nonResourceURLs": []any{"/x"}}},
	}}
}

func conditions(kind string) []any { return []any{map[string]any{"type": kind, "status": "True"}} }

func recordCases() []testCase {
	empty := having(level("a", 10), "metadata.managedFields", []any{map[string]any{}})
	return []testCase{
		{
			name: "other verbs record an update", proves: []string{"apply.update-entry", "apply.managed-fields"},
			steps: []step{
				post("prioritylevelconfigurations?fieldManager=given", level("a", 10)).saying(`"manager":"given","operation":"Update"`),
				put("prioritylevelconfigurations/a", level("a", 11)).with("User-Agent", "kubectl/v9 (x)").saying(`"manager":"kubectl"`),
				patch("merge", "prioritylevelconfigurations/a?fieldManager=merger", `{"metadata":{"labels":{"a":"b"}}}`),
				patch("json", "prioritylevelconfigurations/a/status?fieldManager=reporter", `[{"op":"add","path":"/status/conditions","value":[{"type":"T","status":"True"}]}]`).saying(`"subresource":"status"`),
				patch("merge", "prioritylevelconfigurations/a?fieldManager=merger", `{"metadata":{"labels":null}}`),
			},
		},
		{
			name: "the record is cleared", proves: []string{"apply.clear"},
			steps: []step{
				applied("one", "a", level("a", 10)).gives(201), put("prioritylevelconfigurations/a", empty).without("managedFields"),
				applied("two", "a", level("a", 11)).gives(409).saying("before-first-apply"), forced("two", "a", level("a", 11)), patch("merge", "prioritylevelconfigurations/a", `{"metadata":{"managedFields":[{}]}}`).without("managedFields"),
				applied("three", "a", level("a", 11)), put("prioritylevelconfigurations/a", having(level("a", 11), "metadata.managedFields", []any{})).without("managedFields"),
				applied("three", "a", level("a", 11)), patch("merge", "prioritylevelconfigurations/a", `{"metadata":{"managedFields":[]}}`).without("managedFields"),
			},
		},
		{
			name: "from client-side apply and back", proves: []string{"apply.upgrade"},
			steps: []step{
				post("prioritylevelconfigurations?fieldManager=kubectl-client-side-apply", having(level("a", 10), "metadata.annotations",
					map[string]any{"kubectl.kubernetes.io/last-applied-configuration": level("a", 10)})),
				applied("kubectl", "a", level("a", 11)).saying(`"nominalConcurrencyShares":11`),
				patch("merge", "prioritylevelconfigurations/a?fieldManager=kubectl-client-side-apply", having(level("a", 12), "metadata.annotations",
					map[string]any{"kubectl.kubernetes.io/last-applied-configuration": level("a", 12)})),
				applied("kubectl", "a", level("a", 13)),
			},
		},
	}
}

func applyRejections() []testCase {
	return []testCase{
		{
			name: "apply needs a field manager", proves: []string{"apply.manager"},
			steps: []step{
				patch("apply", "flowschemas/a", flowSchema("a")).gives(422).saying("fieldManager").writesNothing(),
				patch("apply", "flowschemas/a?fieldManager=", flowSchema("a")).gives(422), patch("apply", "flowschemas/exempt/status?force=true", flowSchema("exempt")).gives(422),
			},
		},
		{
			name: "an applied object has no managed fields", proves: []string{"apply.no-managed-fields"},
			steps: []step{
				applied("one", "a", having(level("a", 1), "metadata.managedFields", []any{map[string]any{"manager": "forged"}})).gives(400).saying("managedFields"),
				applied("one", "a", level("a", 1)).gives(201), applied("one", "a", having(level("a", 1), "metadata.managedFields", []any{map[string]any{}})).gives(400),
			},
		},
		{
			name: "what cannot be applied", proves: []string{"patch.malformed", "patch.impossible"},
			steps: []step{
				applied("m", "exempt", having(level("exempt", 1), "spec", 7)).gives(400), applied("m", "exempt", having(level("exempt", 1), "spec.unheard", 7)).gives(400),
				applied("m", "exempt", flowSchema("exempt")).gives(400), forced("m", "exempt", level("other", 1)).gives(400), applied("m", "exempt", `{"apiVersion":"flow`).gives(400),
				applied("m", "exempt", having(level("exempt", 1), "apiVersion", nil)).gives(400), applied("m", "a", level("a", -1)).gives(422).writesNothing(),
				applied("m", "workload-low", having(level("workload-low", 1), "metadata.resourceVersion", "1")).gives(409),
			},
		},
	}
}
