package api

// patchTheme tests the four patch types.
func patchTheme() theme {
	return theme{"patches", []testCase{
		{
			name: "JSON Patch", proves: []string{"patch.json", "patch.impossible", "patch.malformed"},
			steps: []step{
				post("flowschemas", labelled(flowSchema("a"), "team=red")),
				patch("json", "flowschemas/a", `[{"op":"test","path":"/metadata/labels/team","value":"red"},{"op":"replace","path":"/spec/matchingPrecedence","value":5},{"op":"add","path":"/metadata/labels/tier","value":"one"}]`),
				patch("json", "flowschemas/a", `[{"op":"move","from":"/metadata/labels/tier","path":"/metadata/labels/moved"},{"op":"copy","from":"/metadata/labels/moved","path":"/metadata/labels/copied"},{"op":"remove","path":"/metadata/labels/team"}]`),
				patch("json", "flowschemas/a", `[]`).writesNothing(),
				patch("json", "flowschemas/a", `[{"op":"test","path":"/spec/matchingPrecedence","value":1}]`).gives(422).writesNothing(),
				patch("json", "flowschemas/a", `[{"op":"remove","path":"/spec/nothing/here"}]`).gives(422),
				patch("json", "flowschemas/a", `[{"op":"replace","path":"/spec/matchingPrecedence","value":-1}]`).gives(422),
				patch("json", "flowschemas/a", `[{"op":"replace","path":"/spec","value":7}]`).gives(422),
				patch("json", "flowschemas/a", `[{"op":"dance","path":"/spec"}]`).gives(422),
				patch("json", "flowschemas/a", `{"op":"remove"}`).gives(400), patch("json", "flowschemas/a", `[{"op":"remo`).gives(400),
			},
		},
		{
			name: "JSON Merge Patch", proves: []string{"patch.merge", "patch.impossible", "patch.malformed"},
			steps: []step{
				post("flowschemas", labelled(flowSchema("a"), "team=red", "tier=one")).keep("old", "metadata.resourceVersion"),
				patch("merge", "flowschemas/a", `{"metadata":{"labels":{"team":null,"new":"yes"}},"spec":{"rules":[]}}`).without("red"),
				patch("merge", "flowschemas/a", `{"metadata":{"resourceVersion":"<old>"}}`).gives(409),
				patch("merge", "flowschemas/a", `{"metadata":{"uid":"other"}}`).gives(422),
				patch("merge", "flowschemas/a", `{"metadata":{"name":"other"}}`).gives(400),
				patch("merge", "flowschemas/a", `{"kind":"PriorityLevelConfiguration"}`).gives(422),
				patch("merge", "flowschemas/a", `{"spec":{"matchingPrecedence":"many"}}`).gives(422),
				patch("merge", "flowschemas/a", `{"spec":{"priorityLevelConfiguration":null}}`).gives(422),
				patch("merge", "flowschemas/a", `{"spec":{`).gives(400), patch("merge", "flowschemas/a", `[]`).gives(400), patch("merge", "flowschemas/a", `"text"`).gives(400),
				patch("merge", "flowschemas/a?force=true", `{}`).gives(422),
			},
		},
		{
			name: "Strategic Merge Patch merges conditions by type", proves: []string{"patch.strategic", "patch.malformed"},
			steps: []step{
				post("flowschemas", flowSchema("a")),
				patch("strategic-merge", "flowschemas/a/status", `{"status":{"conditions":[{"type":"First","status":"True"}]}}`),
				patch("strategic-merge", "flowschemas/a/status", `{"status":{"conditions":[{"type":"Second","status":"False"}]}}`).saying("First", "Second"),
				patch("strategic-merge", "flowschemas/a/status", `{"status":{"conditions":[{"type":"First","$patch":"delete"}]}}`).without("First"),
				patch("strategic-merge", "flowschemas/a", `{"spec":{"rules":[{"subjects":[{"kind":"User","user":{"name":"u"}}],"nonResourceRules":[{"verbs":["get"],"nonResourceURLs":["/x"]}]}]}}`),
				patch("strategic-merge", "flowschemas/a", `{"spec":{"rules":null,"matchingPrecedence":9}}`).without(`"u"`),
				patch("strategic-merge", "flowschemas/a", `{"metadata":{"finalizers":["example.org/a"]}}`), patch("strategic-merge", "flowschemas/a", `{"metadata":{"finalizers":["example.org/b"]}}`).saying("org/a", "org/b"),
				patch("strategic-merge", "flowschemas/a", `{"metadata":{"$deleteFromPrimitiveList/finalizers":["example.org/a","example.org/b"]}}`),
				patch("strategic-merge", "flowschemas/a", `{"spec":{"matchingPrecedence":"many"}}`).gives(422), patch("strategic-merge", "flowschemas/a", `{"spec":{`).gives(400),
			},
		},
		{
			name: "what is not there is not patched, but applied", proves: []string{"patch.missing", "patch.apply"},
			steps: []step{
				patch("json", "flowschemas/a", `[]`).gives(404), patch("merge", "flowschemas/a", `{}`).gives(404), patch("strategic-merge", "flowschemas/a", `{}`).gives(404),
				patch("apply", "flowschemas/a/status?fieldManager=m", flowSchema("a")).gives(404),
				patch("apply", "flowschemas/a?fieldManager=m", flowSchema("a")).gives(201), patch("apply", "flowschemas/a?fieldManager=m", flowSchema("a")).writesNothing(),
				patch("apply", "flowschemas/b?fieldManager=m", having(flowSchema("b"), "metadata.uid", "0b0b0b0b-0b0b-0b0b-0b0b-0b0b0b0b0b0b")).gives(409),
			},
		},
	}}
}
