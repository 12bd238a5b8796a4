package api

import (
	"fmt"
	"strings"
)

// fieldDetailTheme tests the reports of unknown and repeated fields.
func fieldDetailTheme() theme {
	const all, one = "prioritylevelconfigurations", "prioritylevelconfigurations/a"
	create := post(all, level("a", 1))
	return theme{"field validation details", []testCase{
		{name: "in bodies of every kind, in every mode", proves: []string{"fields.ignore", "fields.warn", "fields.strict"}, steps: append([]step{create}, modeSteps(all, one)...)},
		{
			name: "one warning for each field", proves: []string{"fields.warn"},
			steps: []step{
				post(all, strings.Replace(having(level("a", 1), "spec.unheard", 1), `"metadata":{`, `"more":{},"metadata":{"strange":1,`, 1)).
					warning(`299 - "unknown field \"metadata.strange\""`, `299 - "unknown field \"more\""`, `299 - "unknown field \"spec.unheard\""`),
				put(one, strings.Replace(level("a", 2), `"type":"Limited"`, `"type":"Limited","type":"Exempt","type":"Limited"`, 1)).warning(`299 - "duplicate field \"spec.type\""`),
				put(one, level("a", 2)).warning(), post("flowschemas", having(flowSchema("a"), "spec.rules", strangeRules())).
					warning(`299 - "unknown field \"spec.rules[0].strange\""`, `299 - "unknown field \"spec.rules[0].subjects[0].user.uid\""`),
				put("flowschemas/a", strings.Replace(flowSchema("a"), `"name":"catch-all"`, `"Name":"x","NAME":"y","name":"catch-all"`, 1)).saying(`"name":"catch-all"`),
				put("flowschemas/a", strings.Replace(flowSchema("a"), `"spec"`, `"Spec"`, 1)).gives(422),
				put("flowschemas/a", having(flowSchema("a"), "status.strange", 1)), put("flowschemas/a/status", having(flowSchema("a"), "status.strange", 1)).warning(`299 - "unknown field \"status.strange\""`),
			},
		},
		{name: "very many unknown fields", proves: []string{"fields.warn", "fields.strict"}, steps: manySteps(all)},
		{
			name: "repeated fields in YAML", proves: []string{"fields.ignore", "fields.warn", "fields.strict", "repr.yaml"},
			steps: []step{
				inYAML("POST", all, toYAML(level("b", 1))+"kind: PriorityLevelConfiguration\n").gives(201), inYAML("POST", all+"?fieldValidation=Ignore", toYAML(level("c", 1))+"kind: PriorityLevelConfiguration\n").gives(201).warning(),
				inYAML("POST", all+"?fieldValidation=Strict", toYAML(level("d", 1))+"kind: PriorityLevelConfiguration\n").gives(400).saying(`already set`).writesNothing(),
				inYAML("PUT", all+"/b?fieldValidation=Strict", toYAML(having(level("b", 2), "spec.unheard", 1))).gives(400).saying(`unknown field \"spec.unheard\"`), inYAML("PUT", all+"/b", toYAML(having(level("b", 2), "spec.unheard", 1))),
			},
		},
		{
			name: "repeated fields in patches", proves: []string{"fields.ignore", "fields.warn", "fields.strict"},
			steps: append([]step{create}, repeatedSteps(one)...),
		},
		{
			name: "what is neither unknown nor repeated", proves: []string{"fields.strict", "valid.bad-body"},
			steps: []step{
				post(all+"?fieldValidation=Strict", level("b", 1)), post(all+"?fieldValidation=Strict", toProtobuf(level("c", 1))).with("Content-Type", protobufType),
				post(all+"?fieldValidation=Strict", having(level("d", 1), "spec.type", 5)).gives(400),
				post(all+"?fieldValidation=Ignore", having(level("d", 1), "spec.limited", "none")).gives(400), post(all+"?fieldValidation=Warn", having(having(level("d", 1), "spec.limited", "none"), "spec.unheard", 1)).gives(400),
				post(all+"?fieldValidation=Strict", having(having(level("d", -1), "spec.unheard", 1), "metadata.name", "Bad")).gives(400), post(all+"?fieldValidation=Warn", having(level("d", -1), "spec.unheard", 1)).gives(422),
				post(all+"?fieldValidation=Strict", level("b", 1)).gives(409),
				post(all+"?fieldValidation=Strict", level("d", -1)).gives(422), post(all+"?fieldValidation=Strict&fieldValidation=Ignore", having(level("d", 1), "spec.unheard", 1)).gives(400),
				put(all+"/b?fieldValidation=none", level("b", 1)).gives(422),
				remove(all+"/b", `{"unheard":1,"gracePeriodSeconds":0,"gracePeriodSeconds":0}`), remove(all+"/c?fieldValidation=Strict", `{"unheard":1}`),
			},
		},
	}}
}

// inYAML is a request with a body in YAML.
func inYAML(method, path, body string) step {
	return ask(method, path, body).with("Content-Type", "application/yaml")
}

// modeSteps writes a level with an unknown field, with each verb and mode.
func modeSteps(all, one string) []step {
	var steps []step
	unknown, status := having(level("a", 1), "spec.limited.unheard", 1), having(level("a", 1), "status.unheard", 1)
	for _, mode := range []string{"Ignore", "Warn", "Strict"} {
		query := "?dryRun=All&fieldManager=m&fieldValidation=" + mode
		for _, step := range []step{
			post(all+query, having(unknown, "metadata.name", "b")), inYAML("POST", all+query, toYAML(having(unknown, "metadata.name", "b"))).gives(201),
			put(one+query, unknown), put(one+"/status"+query, status), inYAML("PUT", one+query, toYAML(unknown)),
		} {
			if mode == "Strict" {
				step = step.gives(400).saying("strict decoding error", "unheard")
			}
			steps = append(steps, step)
		}
		for _, step := range []step{
			patch("merge", one+query, `{"spec":{"limited":{"unheard":1}}}`), patch("strategic-merge", one+query, `{"spec":{"limited":{"unheard":1}}}`), patch("json", one+query, `[{"op":"add","path":"/spec/limited/unheard","value":1}]`),
			patch("merge", one+"/status"+query, `{"status":{"unheard":1}}`), patch("strategic-merge", one+"/status"+query, `{"status":{"unheard":1}}`), patch("json", one+"/status"+query, `[{"op":"add","path":"/status/unheard","value":1}]`),
		} {
			if mode == "Strict" {
				step = step.gives(422).saying("strict decoding error", "unheard")
			}
			steps = append(steps, step)
		}
		steps = append(steps, // apply rejects unknown fields in every mode
			patch("apply", one+query, unknown).gives(400).saying("field not declared in schema"), patch("apply", one+"/status"+query, status).gives(400),
			patch("apply", all+"/b"+query, having(unknown, "metadata.name", "b")).gives(400))
	}
	return steps
}

// repeatedSteps patches with a repeated field.
func repeatedSteps(one string) []step {
	var steps []step
	for _, mode := range []string{"Ignore", "Warn", "Strict"} {
		query := "?fieldManager=m&fieldValidation=" + mode
		for _, step := range []step{
			patch("merge", one+query, `{"metadata":{"labels":{"a":"b","a":"c"}}}`), patch("strategic-merge", one+query, `{"metadata":{"labels":{"a":"b","a":"c"}}}`),
			patch("json", one+query, `[{"op":"add","op":"add","path":"/metadata/labels","value":{"x":"y","x":"z"}}]`),
		} {
			if mode == "Strict" {
				step = step.gives(422).saying("duplicate field")
			}
			steps = append(steps, step)
		}
		apply := patch("apply", one+query+"&force=true", toYAML(level("a", 2))+"kind: PriorityLevelConfiguration\n")
		if mode == "Strict" {
			apply = apply.gives(400).saying("already set")
		}
		steps = append(steps, apply)
	}
	return steps
}

// manySteps creates levels with more unknown fields than the warnings report.
func manySteps(all string) []step {
	fields := map[string]any{}
	for i := range 200 {
		fields[fmt.Sprintf("unheard-%03d-%s", i, strings.Repeat("x", 100))] = i
	}
	fields["limitResponse"] = map[string]any{"type": "Reject"}
	object := having(level("a", 1), "spec.limited", fields)
	return []step{
		post(all+"?fieldValidation=Ignore", object).gives(201), put(all+"/a?fieldValidation=Warn", object), put(all+"/a?fieldValidation=Strict", object).gives(400).saying("unheard-000"),
	}
}

func strangeRules() []any {
	strange := rules("u")
	rule := strange[0].(map[string]any)
	rule["strange"] = 1
	rule["subjects"].([]any)[0].(map[string]any)["user"] = map[string]any{"name": "u", "uid": 1}
	return strange
}
