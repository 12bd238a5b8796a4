package api

import (
	"fmt"
	"strings"
)

// patchDetailTheme tests edge cases of the four patch types.
func patchDetailTheme() theme {
	return theme{"patch details", append(jsonPatchCases(), append(mergePatchCases(), everyPatchCases()...)...)}
}

func jsonPatchCases() []testCase {
	const one = "flowschemas/a"
	create := post("flowschemas", labelled(having(flowSchema("a"), "spec.rules", rules("u")), "example.org/team=red"))
	ops := func(operation string) step { return patch("json", one, "["+operation+"]") }
	return []testCase{
		{
			name: "pointers of JSON Patch", proves: []string{"patch.json", "patch.impossible"},
			steps: []step{
				create,
				ops(`{"op":"replace","path":"/metadata/labels/example.org~1team","value":"blue"}`).saying("blue"),
				ops(`{"op":"add","path":"/spec/rules/0/subjects/-","value":{"kind":"User","user":{"name":"v"}}}`).saying(`"v"`),
				ops(`{"op":"add","path":"/spec/rules/0/subjects/0","value":{"kind":"User","user":{"name":"w"}}}`),
				ops(`{"op":"add","path":"/spec/rules/0/subjects/9","value":{"kind":"User","user":{"name":"x"}}}`).gives(422),
				ops(`{"op":"remove","path":"/spec/rules/0/subjects/-1"}`),
				ops(`{"op":"remove","path":"/spec/rules/7"}`).gives(422), ops(`{"op":"remove","path":"spec/rules/7"}`).gives(422),
				ops(`{"op":"replace","path":"/spec/absent/0","value":1}`).gives(422), ops(`{"op":"add","path":"","value":7}`).gives(422),
				ops(`{"op":"copy","from":"/spec/none","path":"/spec/rules"}`), ops(`{"op":"move","path":"/spec/rules"}`).gives(422),
				ops(`{"op":"remove"}`).gives(422), ops(`{"path":"/spec"}`).gives(422), ops(`{"op":7,"path":"/spec"}`).gives(400),
			},
		},
		{
			name: "tests of JSON Patch", proves: []string{"patch.json", "patch.impossible"},
			steps: []step{
				create,
				ops(`{"op":"test","path":"/spec/matchingPrecedence","value":1000}`).writesNothing(),
				ops(`{"op":"test","path":"/spec/priorityLevelConfiguration","value":{"name":"catch-all"}}`).writesNothing(),
				ops(`{"op":"test","path":"/spec/distinguisherMethod","value":null}`).writesNothing(),
				ops(`{"op":"test","path":"/spec/matchingPrecedence","value":"1000"}`).gives(422),
				ops(`{"op":"test","path":"/metadata/labels/none","value":"x"}`).gives(422),
				ops(`{"op":"replace","path":"/spec/matchingPrecedence","value":5},{"op":"test","path":"/spec/matchingPrecedence","value":6}`).gives(422).writesNothing(),
				get(one).saying(`"matchingPrecedence":1000`),
			},
		},
		{
			name: "a JSON Patch of very many operations", proves: []string{"patch.json", "valid.too-large"},
			steps: []step{
				create,
				patch("json", one, "["+strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/kind","value":"FlowSchema"},`, 10_000), ",")+"]").writesNothing(),
				patch("json", one, "["+strings.TrimSuffix(strings.Repeat(`{"op":"test","path":"/kind","value":"FlowSchema"},`, 10_001), ",")+"]").gives(413).writesNothing(),
			},
		},
		{
			name: "identity in a JSON Patch", proves: []string{"patch.json", "patch.impossible", "valid.wrong-name", "valid.wrong-kind"},
			steps: []step{
				create.keep("uid", "metadata.uid").keep("old", "metadata.resourceVersion"),
				ops(`{"op":"replace","path":"/metadata/name","value":"b"}`).gives(400), ops(`{"op":"remove","path":"/metadata/name"}`).gives(400),
				ops(`{"op":"replace","path":"/kind","value":"Poem"}`).gives(422), ops(`{"op":"remove","path":"/apiVersion"}`).gives(400),
				ops(`{"op":"replace","path":"/metadata/uid","value":"other"}`).gives(422), ops(`{"op":"replace","path":"/metadata/uid","value":"<uid>"}`).writesNothing(),
				ops(`{"op":"remove","path":"/metadata/uid"}`).writesNothing(), ops(`{"op":"remove","path":"/metadata/creationTimestamp"}`).writesNothing(),
				ops(`{"op":"test","path":"/metadata/resourceVersion","value":"<old>"},{"op":"add","path":"/metadata/labels/x","value":"y"}`),
				ops(`{"op":"test","path":"/metadata/resourceVersion","value":"<old>"}`).gives(422),
				ops(`{"op":"replace","path":"/metadata/resourceVersion","value":"<old>"}`).gives(409), ops(`{"op":"remove","path":"/metadata/resourceVersion"}`).writesNothing(),
				ops(`{"op":"replace","path":"/metadata/resourceVersion","value":"nonsense"}`).gives(400), ops(`{"op":"replace","path":"/metadata/resourceVersion","value":7}`).gives(422),
				ops(`{"op":"remove","path":"/metadata"}`).gives(400),
			},
		},
	}
}

func mergePatchCases() []testCase {
	const one = "flowschemas/a"
	create := post("flowschemas", labelled(having(flowSchema("a"), "spec.rules", rules("u")), "team=red"))
	merge := func(body string) step { return patch("merge", one, body) }
	strategic := func(path, body string) step { return patch("strategic-merge", path, body) }
	return []testCase{
		{
			name: "nothing and null in a merge patch", proves: []string{"patch.merge"},
			steps: []step{
				create, merge(`{}`).writesNothing(), merge(`{"spec":{"distinguisherMethod":null}}`).writesNothing(), merge(`{"spec":{"matchingPrecedence":null}}`).writesNothing(),
				merge(`{"spec":{"matchingPrecedence":7}}`), merge(`{"spec":{"matchingPrecedence":null}}`).saying(`"matchingPrecedence":1000`),
				merge(`{"metadata":null}`).gives(400), merge(`{"spec":null}`).gives(422), merge(`{"kind":null}`).writesNothing(),
				merge(`{"metadata":{"labels":{"a":null,"b":{"c":null}}}}`).gives(422), merge(`{"metadata":{"labels":[]}}`).gives(422),
				merge(`{"metadata":{"annotations":{}}}`).writesNothing(), merge(`null`).gives(400), merge(`7`).gives(400), ask("PATCH", one, "").with("Content-Type", "application/merge-patch+json").gives(400),
			},
		},
		{
			name: "versions in a merge patch", proves: []string{"patch.merge", "verbs.update-conflict"},
			steps: []step{
				create.keep("old", "metadata.resourceVersion"),
				merge(`{"metadata":{"resourceVersion":"<old>","labels":{"n":"1"}}}`), merge(`{"metadata":{"resourceVersion":"<old>","labels":{"n":"2"}}}`).gives(409).writesNothing(),
				merge(`{"metadata":{"resourceVersion":"0","labels":{"n":"3"}}}`), merge(`{"metadata":{"resourceVersion":null,"labels":{"n":"4"}}}`),
				merge(`{"metadata":{"resourceVersion":"nonsense"}}`).gives(400), merge(`{"metadata":{"resourceVersion":"-1"}}`).gives(400), merge(`{"metadata":{"resourceVersion":"<future>"}}`).gives(409),
				merge(`{"apiVersion":"flowcontrol.apiserver.k8s.io/v9"}`).gives(422), merge(`{"apiVersion":"v1"}`).gives(422),
			},
		},
		{
			name: "directives of a strategic merge patch", proves: []string{"patch.strategic", "patch.malformed"},
			steps: []step{
				create, strategic(one+"/status", `{"status":{"conditions":[{"type":"A","status":"True"},{"type":"B","status":"True"}]}}`),
				strategic(one+"/status", `{"status":{"$setElementOrder/conditions":[{"type":"B"},{"type":"A"}],"conditions":[{"type":"A","status":"False"}]}}`),
				strategic(one+"/status", `{"status":{"conditions":[{"type":"C","status":"True"},{"$patch":"replace"}]}}`).without(`"B"`),
				strategic(one+"/status", `{"status":{"$patch":"replace","conditions":[]}}`).without(`"C"`),
				strategic(one+"/status", `{"status":{"conditions":[{"status":"True"}]}}`).gives(422),
				strategic(one, `{"spec":{"$patch":"dance"}}`).gives(400), strategic(one, `{"metadata":{"$retainKeys":["name"],"labels":null}}`),
				strategic(one, `{"metadata":{"labels":{"$patch":"replace","only":"this"}}}`).without("red"), strategic(one, `{"metadata":{"labels":{"$patch":"delete"}}}`).without("only"),
				strategic(one, `{"spec":{"rules":[{"$patch":"delete"}]}}`).gives(422), strategic(one, `{"$patch":"delete"}`).gives(400),
				strategic(one, `{"spec":{"rules":7}}`).gives(422), strategic(one, `[]`).gives(400), strategic(one, `null`).writesNothing(), strategic(one, `{}`).writesNothing(),
			},
		},
		{name: "directives that make no sense", proves: []string{"patch.strategic", "patch.malformed"}, steps: append([]step{create}, nonsenseSteps(one)...)},
		{
			name: "merge keys and items that are objects", proves: []string{"patch.malformed", "patch.strategic"}, alone: "kube-apiserver panics, and breaks the connection",
			steps: []step{
				create, strategic(one+"/status", `{"status":{"conditions":[{"type":"A","status":"True"}]}}`), strategic(one, `{"metadata":{"finalizers":["example.org/a"]}}`),
				strategic(one+"/status", `{"status":{"conditions":[{"type":{}}]}}`).gives(400).saying("BadRequest").writesNothing(), strategic(one+"/status", `{"status":{"conditions":[{"type":[]}]}}`).gives(400),
				strategic(one, `{"metadata":{"$retainKeys":[{}]}}`).gives(400).writesNothing(), strategic(one, `{"metadata":{"$setElementOrder/finalizers":[{}]}}`).gives(400),
			},
		},
		{
			name: "lists that a strategic merge patch replaces", proves: []string{"patch.strategic"},
			steps: []step{
				create, strategic(one, `{"spec":{"rules":[{"subjects":[{"kind":"Group","group":{"name":"g"}}],"resourceRules":[{"verbs":["get","list"],"apiGroups":["*"],"resources":["pods"],"clusterScope":true}]}]}}`).without(`"u"`),
				strategic(one, `{"spec":{"rules":[{"resourceRules":[{"verbs":["watch"],"apiGroups":["*"],"resources":["pods"],"namespaces":["*"]}]}]}}`).gives(422),
				strategic(one, `{"spec":{"distinguisherMethod":{"type":"ByUser"}}}`), strategic(one, `{"spec":{"distinguisherMethod":{"type":"ByNamespace"}}}`),
				strategic(one, `{"spec":{"distinguisherMethod":null}}`).without("distinguisherMethod\":"),
				strategic(one, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"n","uid":"one"}]}}`),
				strategic(one, `{"metadata":{"ownerReferences":[{"apiVersion":"v1","kind":"Node","name":"m","uid":"two"}]}}`).saying(`"one"`, `"two"`),
			},
		},
	}
}

// nonsenseSteps are strategic merge patches with directives that are unknown or
// misplaced.
func nonsenseSteps(one string) []step {
	steps := []step{
		patch("strategic-merge", one+"/status", `{"status":{"conditions":[{"type":"A","status":"True"}]}}`),
		patch("strategic-merge", one, `{"metadata":{"finalizers":["example.org/a"]}}`),
	}
	for _, nonsense := range []string{
		`{"spec":{"$patch":"dance"}}`, `{"spec":{"$patch":7}}`, `{"$patch":null}`, `{"metadata":{"$retainKeys":7}}`, `{"metadata":{"$retainKeys":[7]}}`,
		`{"metadata":{"$deleteFromPrimitiveList/finalizers":[{}]}}`, `{"metadata":{"$setElementOrder/finalizers":7}}`, `{"metadata":{"$setElementOrder/finalizers":["x"],"finalizers":["example.org/b"]}}`,
		`{"metadata":{"finalizers":[7]}}`, `{"metadata":{"finalizers":[["x"]]}}`,
	} {
		steps = append(steps, patch("strategic-merge", one, nonsense).gives(400).writesNothing())
	}
	for _, nonsense := range []string{
		`[{"status":"True"}]`, `[{"type":"A","$patch":"dance"}]`, `[{"$patch":"merge"}]`, `[{"$patch":"dance"}]`, `[{"$patch":"delete"}]`, `[7]`, `[[]]`, `[{"type":"B"},7]`, `[null]`,
	} {
		steps = append(steps, patch("strategic-merge", one+"/status", `{"status":{"conditions":`+nonsense+`}}`).gives(400).writesNothing())
	}
	for _, order := range []string{`7`, `[7]`, `[{}]`, `[{"type":"B"}]`, `[{"$patch":"delete"}]`, `{"type":"A"}`} {
		steps = append(steps, patch("strategic-merge", one+"/status", `{"status":{"$setElementOrder/conditions":`+order+`,"conditions":[{"type":"A","status":"False"}]}}`).gives(400).writesNothing())
	}
	for _, impossible := range []string{`7`, `{"type":"B"}`, `[{"type":7}]`, `"text"`} {
		steps = append(steps, patch("strategic-merge", one+"/status", `{"status":{"conditions":`+impossible+`}}`).gives(422).writesNothing())
	}
	return steps
}

func everyPatchCases() []testCase {
	var missing, invalid, status, types []step
	invalid = append(invalid, post("flowschemas", flowSchema("a")))
	status = append(status, post("flowschemas", flowSchema("a")))
	for _, kind := range []string{"merge", "strategic-merge"} {
		missing = append(missing, patch(kind, "flowschemas/a/status", "{}").gives(404), patch(kind, "flowschemas/a?dryRun=All", "{}").gives(404), patch(kind, "flowschemas/a", "{").gives(404).givesSince("0.37", 400))
		invalid = append(invalid,
			patch(kind, "flowschemas/a", `{"spec":{"matchingPrecedence":20000,"priorityLevelConfiguration":{"name":"Not A Name"}}}`).gives(422).saying("spec.matchingPrecedence", "spec.priorityLevelConfiguration.name"),
			patch(kind, "flowschemas/a", `{"metadata":{"labels":{"bad key":"x"},"finalizers":["nodomain"]}}`).gives(422),
			patch(kind, "flowschemas/a", `{"metadata":{"deletionTimestamp":"2001-01-01T00:00:00Z","generation":9}}`).gives(422),
			patch(kind, "flowschemas/a/status", `{"status":{"conditions":[{"type":"T","status":7}]}}`).gives(422))
		status = append(status,
			patch(kind, "flowschemas/a/status", `{"metadata":{"annotations":{"a":"b"}},"spec":{"matchingPrecedence":1},"status":{"conditions":[{"type":"T","status":"True","message":"`+kind+`"}]}}`).
				saying(kind, `"matchingPrecedence":1000`).without("annotations"),
			patch(kind, "flowschemas/a/status", `{"spec":{"matchingPrecedence":99999}}`).writesNothing(),
			patch(kind, "flowschemas/a", `{"status":{"conditions":null}}`).saying(kind).writesNothing())
	}
	for _, wrong := range []string{"application/json", "application/yaml", "text/plain", "application/json-patch", "application/merge-patch+yaml", "application/apply-patch+json", protobufType, "*/*"} {
		types = append(types, ask("PATCH", "flowschemas/exempt?fieldManager=m", "{}").with("Content-Type", wrong).gives(415).writesNothing())
	}
	types = append(types,
		ask("PATCH", "flowschemas/exempt", "{}").with("Content-Type", "application/merge-patch+json; charset=utf-8"),
		ask("PATCH", "flowschemas/exempt", "{}").with("Content-Type", "application/Merge-Patch+JSON").gives(415),
		ask("PATCH", "flowschemas/absent", "{}").with("Content-Type", "text/plain").gives(415), ask("PATCH", "flowschemas", "{}").with("Content-Type", "application/merge-patch+json").gives(405))
	return []testCase{
		{name: "patches of what is missing", proves: []string{"patch.missing"}, steps: missing},
		{name: "patches that make an object invalid", proves: []string{"patch.impossible", "valid.invalid"}, steps: invalid},
		{name: "patches of the status", proves: []string{"verbs.status-ignores-spec", "verbs.spec-ignores-status", "verbs.status"}, steps: status},
		{name: "types that are no patch", proves: []string{"repr.415"}, steps: types},
		{
			name: "options of patches", proves: []string{"dry.value", "patch.malformed"},
			steps: []step{
				patch("merge", "flowschemas/exempt?force=false", `{}`).gives(422), patch("merge", "flowschemas/exempt?force=maybe", `{}`).gives(422),
				patch("merge", "flowschemas/exempt?dryRun=None", `{}`).gives(422), patch("json", "flowschemas/exempt?fieldValidation=strict", `[]`).gives(422),
				patch("merge", fmt.Sprintf("flowschemas/exempt?fieldManager=%s", strings.Repeat("m", 129)), `{}`).gives(422),
				patch("apply", "flowschemas/exempt?fieldManager=m&force=maybe", flowSchema("exempt")).gives(422),
			},
		},
	}
}
