package api

import "strings"

// inputTheme tests bodies with unknown fields, and bodies that are not objects.
func inputTheme() theme {
	const path = "prioritylevelconfigurations"
	unknown := strings.Replace(level("a", 1), `"type":"Limited"`, `"type":"Limited","unheard":1,"type":"Limited"`, 1)
	var fields []step
	for _, mode := range []string{"Ignore", "Warn", ""} {
		query := "?dryRun=All&fieldValidation=" + mode
		fields = append(fields, post(path+query, unknown), post(path+query, toYAML(having(level("a", 1), "spec.unheard", 1))).with("Content-Type", "application/yaml"),
			put(path+"/workload-low"+query, having(level("workload-low", 1), "spec.unheard", 1)), patch("merge", path+"/workload-low"+query, `{"spec":{"unheard":1,"unheard":2}}`),
			patch("json", path+"/workload-low"+query, `[{"op":"add","path":"/spec/unheard","value":1}]`), patch("strategic-merge", path+"/workload-low"+query, `{"spec":{"unheard":1}}`))
	}
	const strict = "?dryRun=All&fieldValidation=Strict"
	return theme{"input", []testCase{
		{name: "unknown and repeated fields are ignored or warned of", proves: []string{"fields.ignore", "fields.warn"}, steps: fields},
		{
			name: "unknown and repeated fields are rejected", proves: []string{"fields.strict"},
			steps: []step{
				post(path+strict, unknown).gives(400).saying("unheard", "duplicate"), put(path+"/workload-low"+strict, having(level("workload-low", 1), "spec.unheard", 1)).gives(400).saying("unheard"),
				patch("merge", path+"/workload-low"+strict, `{"spec":{"unheard":1}}`).gives(422), patch("strategic-merge", path+"/workload-low"+strict, `{"spec":{"unheard":1}}`).gives(422),
				patch("json", path+"/workload-low"+strict, `[{"op":"add","path":"/spec/unheard","value":1}]`).gives(422),
				post(path+"?fieldValidation=Some", level("a", 1)).gives(422),
			},
		},
		{
			name: "bodies that are no objects", proves: []string{"valid.bad-body"},
			steps: []step{
				post(path, "{").gives(400), post(path, "[]").gives(400), post(path, "null").gives(422), post(path, "7").gives(400), post(path, `"text"`).gives(400), post(path, "{}").gives(422),
				ask("POST", path, "").with("Content-Type", "application/json").gives(400), post(path, level("a", 1)[:60]).gives(400), post(path, level("a", 1)+"{").gives(400),
				post(path, "a: [").with("Content-Type", "application/yaml").gives(400), post(path, "- a").with("Content-Type", "application/yaml").gives(400),
				post(path, "k8s\x00garbage").with("Content-Type", protobufType).gives(400), post(path, "none").with("Content-Type", protobufType).gives(400),
				post(path, toProtobuf(level("a", 1))[:40]).with("Content-Type", protobufType).gives(400), put(path+"/exempt", "{").gives(400), put(path+"/exempt/status", "[]").gives(400),
			},
		},
		{
			name: "wild values", proves: []string{"valid.wild"},
			steps: []step{
				post(path, strings.Repeat("[", 20_000)).gives(400), post(path, strings.Repeat(`{"a":`, 20_000)).gives(400),
				post(path, strings.Replace(level("a", 1), `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":1e400`, 1)).gives(400),
				post(path, strings.Replace(level("a", 1), `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":99999999999`, 1)).gives(400),
				post(path, strings.Replace(level("a", 1), `"nominalConcurrencyShares":1`, `"nominalConcurrencyShares":1.5`, 1)).gives(400),
				post(path, having(level("a", 1), "metadata.labels", "none")).gives(400), post(path, having(level("a", 1), "spec", []any{})).gives(400),
				post(path, level(strings.Repeat("a", 300), 1)).gives(422), post(path, level("UPPER", 1)).gives(422),
			},
		},
		{
			name: "a body over the limit", proves: []string{"valid.too-large"},
			steps: []step{
				post(path, having(level("a", 1), "metadata.annotations", map[string]any{"x": strings.Repeat("x", 4<<20)})).gives(413).writesNothing(),
				post(path, having(level("a", 1), "metadata.annotations", map[string]any{"x": strings.Repeat("x", 300<<10)})).gives(422).writesNothing(),
				patch("merge", path+"/exempt", `{"x":"`+strings.Repeat("x", 4<<20)+`"}`).gives(413), remove(path+"/exempt", `{"x":"`+strings.Repeat("x", 4<<20)+`"}`).gives(413).writesNothing(),
			},
		},
		{
			name: "objects in the wrong place", proves: []string{"valid.wrong-kind", "valid.wrong-name", "valid.invalid"},
			steps: []step{
				post("flowschemas", level("a", 1)).gives(400), post("flowschemas", having(flowSchema("a"), "apiVersion", "flowcontrol.apiserver.k8s.io/v9")).gives(400),
				post("flowschemas", having(flowSchema("a"), "apiVersion", "v1")).gives(400), post("flowschemas", having(flowSchema("a"), "kind", "Poem")).gives(400),
				put("flowschemas/exempt", flowSchema("other")).gives(400), put("flowschemas/exempt", having(flowSchema(""), "metadata.name", nil)).gives(400),
				post("flowschemas", having(having(flowSchema("a"), "kind", nil), "apiVersion", nil)),
				post("flowschemas", having(having(flowSchema("b"), "spec.matchingPrecedence", 20_000), "spec.priorityLevelConfiguration.name", "")).gives(422).saying("matchingPrecedence", "priorityLevelConfiguration"),
			},
		},
	}}
}
