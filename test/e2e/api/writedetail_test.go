package api

import "strings"

// writeDetailTheme tests edge cases of writes of whole objects.
func writeDetailTheme() theme {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/a"
	nameless := having(level("", 1), "metadata.name", nil)
	create := post(all, level("a", 1)).keep("uid", "metadata.uid").keep("old", "metadata.resourceVersion")
	return theme{"write details", append([]testCase{
		{
			name: "names and where they come from", proves: []string{"verbs.generate-name", "valid.wrong-name", "valid.invalid"},
			steps: []step{
				post(all, having(nameless, "metadata.generateName", "generated-")).saying(`"generateName":"generated-"`).keep("name", "metadata.name"), put(all+"/<name>", having(level("", 2), "metadata.name", "<name>")),
				put(all+"/<name>", nameless).gives(400), remove(all+"/<name>", ""),
				post(all, having(nameless, "metadata.generateName", "Bad_Prefix-")).gives(422), post(all, having(nameless, "metadata.generateName", "")).gives(422), post(all, having(level("", 1), "metadata.generateName", 7)).gives(400),
				post(all, level("a.b-c.9", 1)), post(all, level("-a", 1)).gives(422), post(all, level("a/b", 1)).gives(422), post(all, level("a%b", 1)).gives(422), post(all, level("..", 1)).gives(422), post(all, level(".", 1)).gives(422),
				post(all, level("ä", 1)).gives(422), post(all, level("a b", 1)).gives(422), post(all, level(" ", 1)).gives(422),
				post(all, level(strings.Repeat("a", 253), 1)), post(all, level(strings.Repeat("a", 254), 1)).gives(422), get(all + "/" + strings.Repeat("a", 254)).gives(404), get(all + "/a%2Fb").gives(404), get(all + "/%00").gives(404),
				put(all+"/b", level("a", 1)).gives(400).writesNothing(), put(all+"/b/status", level("a", 1)).gives(400), put(all+"/A", level("A", 1)).gives(404),
			},
		},
		{
			name: "a name that is taken, in every way", proves: []string{"verbs.already-exists"},
			steps: []step{
				create, post(all, level("a", 1)).gives(409).saying(`"reason":"AlreadyExists"`, `"name":"a"`), post(all, having(level("a", 9), "metadata.uid", "<uid>")).gives(409),
				post(all, having(level("a", 9), "metadata.generateName", "a-")).gives(409), post(all, level("a", -9)).gives(422),
				post(all, toProtobuf(level("a", 1))).with("Content-Type", protobufType).gives(409), post(all, level("a", 1)).with("Accept", protobufType).gives(409), post(all, level("a", 1)).with("Accept", "application/yaml").gives(409),
				post("flowschemas", flowSchema("a")), remove(one, ""), create,
			},
		},
		{
			name: "versions in an update", proves: []string{"verbs.update-conflict", "verbs.update-unconditional"},
			steps: []step{
				create, put(one, having(level("a", 2), "metadata.resourceVersion", "")), put(one, having(level("a", 3), "metadata.resourceVersion", "nonsense")).gives(400).writesNothing(),
				put(one, having(level("a", 3), "metadata.resourceVersion", "-1")).gives(400), put(one, having(level("a", 3), "metadata.resourceVersion", "99999999999999999999999")).gives(400),
				put(one, having(level("a", 3), "metadata.resourceVersion", 7)).gives(400), put(one, having(level("a", 3), "metadata.resourceVersion", "007")).gives(409), put(one+"?resourceVersion=<old>", level("a", 3)),
				put(one+"/status", having(level("a", 3), "metadata.resourceVersion", "<old>")).gives(409), put(one+"/status", having(level("a", 3), "metadata.resourceVersion", "nonsense")).gives(400),
				put(all+"/none", having(level("none", 1), "metadata.resourceVersion", "<old>")).gives(404), put(all+"/none", having(level("none", 1), "metadata.uid", "<uid>")).gives(409).givesSince("0.36", 404), put(all+"/none/status", level("none", 1)).gives(404),
				get(all + "/none").gives(404),
				post(all, having(level("b", 1), "metadata.resourceVersion", "0")), post(all, having(level("c", 1), "metadata.resourceVersion", "<old>")).gives(400).writesNothing(),
				post(all, having(level("c", 1), "metadata.resourceVersion", "nonsense")),
			},
		},
		{
			name: "kinds and versions in a body", proves: []string{"valid.wrong-kind"},
			steps: []step{
				post(all, having(level("a", 1), "kind", "prioritylevelconfiguration")).gives(400), post(all, having(level("a", 1), "kind", "PriorityLevelConfigurationList")).gives(400),
				post(all, `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"PriorityLevelConfigurationList","items":[]}`).gives(400),
				post(all, having(level("a", 1), "apiVersion", "flowcontrol.apiserver.k8s.io")).gives(400), post(all, having(level("a", 1), "apiVersion", "a/b/c")).gives(400),
				post(all, having(level("a", 1), "apiVersion", "example.org/v1")).gives(400), post(all, having(level("a", 1), "apiVersion", 1)).gives(400), post(all, having(level("a", 1), "kind", []any{})).gives(400),
				post(all, having(level("a", 1), "kind", nil)), put(one, having(level("a", 2), "apiVersion", nil)), put(one, flowSchema("a")).gives(400).writesNothing(), put(one+"/status", flowSchema("a")).gives(400),
				post(all, `{"kind":"Status","apiVersion":"v1"}`).gives(400), post("flowschemas", toProtobuf(level("b", 1))).with("Content-Type", protobufType).gives(400),
			},
		},
		{
			name: "kinds that only kube-apiserver has", proves: []string{"valid.wrong-kind"}, alone: "kube-apiserver knows these, and rejects them in other words",
			steps: []step{
				post(all, `{"apiVersion":"v1","kind":"List","items":[`+level("a", 1)+`]}`).gives(400).writesNothing(),
				post(all, having(level("a", 1), "apiVersion", "flowcontrol.apiserver.k8s.io/v1beta2")).gives(400).writesNothing(),
			},
		},
		{
			name: "paths and verbs that do not go together", proves: []string{"verbs.resource"},
			steps: []step{
				ask("POST", one, level("a", 1)).gives(405), ask("PUT", all, level("a", 1)).gives(405), patch("merge", all, "{}").gives(405), ask("OPTIONS", all, "").gives(405), ask("POST", all+"/a/b", "{}").gives(404),
				get(all + "/a/b").gives(404), get(all + "/exempt/scale").gives(404), get("poems").gives(404), ask("BREW", all, "").gives(405),
				get(all + "/"), get("namespaces/default/" + all).gives(404), ask("HEAD", all, "").gives(405), ask("POST", all+"/", level("a", 1)).gives(201), ask("GET", all, "{}"),
			},
		},
	}, metadataCases()...)}
}

func metadataCases() []testCase {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/a"
	create := post(all, level("a", 1))
	with := func(place string, value any) string { return having(level("a", 1), place, value) }
	return []testCase{
		{
			name: "the generation is the server's", proves: []string{"verbs.generation"},
			steps: []step{
				post(all, with("metadata.generation", -5)).saying(`"generation":1`), put(one, having(level("a", 2), "metadata.generation", 90)).saying(`"generation":2`),
				put(one+"/status", with("metadata.generation", 91)).saying(`"generation":2`), put(one, with("spec.limited.nominalConcurrencyShares", 2)).writesNothing(), put(one, labelled(level("a", 2), "a=b")).saying(`"generation":2`),
				put(one, having(level("a", 2), "spec.limited.lendablePercent", 0)).saying(`"generation":2`), put(one, having(level("a", 2), "spec.limited.lendablePercent", 10)).saying(`"generation":3`),
				put(one, having(level("a", 2), "spec.limited.lendablePercent", -1)).gives(422), get(one).saying(`"generation":3`), patch("merge", one, `{"metadata":{"generation":null}}`).saying(`"generation":3`),
			},
		},
		{
			name: "metadata that is not valid", proves: []string{"valid.invalid"},
			steps: []step{
				post(all, with("metadata.labels", map[string]any{"a": strings.Repeat("v", 64), "/b": "x", "c": "-"})).gives(422), post(all, with("metadata.annotations", map[string]any{"bad key": "x", "": "y"})).gives(422),
				post(all, with("metadata.ownerReferences", []any{map[string]any{"apiVersion": "", "kind": "", "name": "", "uid": ""}})).gives(422),
				post(all, with("metadata.ownerReferences", []any{controller("one"), controller("two")})).gives(422), post(all, with("metadata.ownerReferences", []any{owner("one"), owner("one")})),
				put(one, with("metadata.ownerReferences", []any{map[string]any{"apiVersion": "v1", "kind": "Event", "name": "n", "uid": "u"}})).gives(422),
				put(one, with("metadata.managedFields", []any{map[string]any{"manager": "m", "operation": "Dance", "apiVersion": "v1", "fieldsType": "None"}})), put(one, with("metadata.labels", []any{})).gives(400),
				put(one, with("metadata", "none")).gives(400), put(one, with("metadata.creationTimestamp", "yesterday")).gives(400), put(one, with("metadata.namespace", "default")).without("namespace"),
				post(all, having(level("b", 1), "metadata.namespace", "default")).without("namespace"),
			},
		},
		{
			name: "metadata that a writer cannot choose", proves: []string{"verbs.resource"},
			steps: []step{
				post(all, with("metadata.deletionTimestamp", "2001-01-01T00:00:00Z")).without("deletionTimestamp"), put(one, with("metadata.deletionGracePeriodSeconds", 5)).gives(422),
				put(one, with("metadata.selfLink", "/x")).without("selfLink"), put(one, with("metadata.creationTimestamp", nil)), put(one, with("metadata.uid", "")), put(one, with("metadata.generateName", "x-")),
				patch("merge", one, `{"metadata":{"creationTimestamp":"2001-01-01T00:00:00Z","selfLink":"/y"}}`),
			},
		},
		{
			name: "status and spec keep apart", proves: []string{"verbs.spec-ignores-status", "verbs.status-ignores-spec", "verbs.status"},
			steps: []step{
				post(all, with("status.conditions", conditions("No"))).saying(`"status":{}`),
				put(one+"/status", having(having(level("a", 77), "status.conditions", conditions("Yes")), "metadata.finalizers", []any{"example.org/x"})).saying("Yes").without(`Shares":77`, "finalizers"),
				put(one, having(level("a", 2), "status.conditions", conditions("No"))).saying("Yes").without(`"No"`), put(one+"/status", having(with("status", nil), "spec", nil)).without("Yes"),
				put(one+"/status", with("spec.limited.nominalConcurrencyShares", -1)).writesNothing(), put(one+"/status", with("status.conditions", append(conditions("T"), conditions("T")...))).gives(422),
				put(one+"/status", with("status.conditions", []any{map[string]any{"type": "", "status": ""}})).gives(422), put(one+"/status", with("status", 7)).gives(400), put("flowschemas/exempt/status", flowSchema("other")).gives(400),
				put(one+"/status", with("metadata.labels", map[string]any{"bad key": "x"})).writesNothing(), create.gives(409),
			},
		},
	}
}

// controller returns an owner reference of a controller.
func controller(uid string) map[string]any {
	reference := owner(uid)
	reference["controller"] = true
	return reference
}
