package conformance

// patchTheme is about the four patches.
func patchTheme() theme {
	return theme{"patches", []testCase{
		{
			name: "a merge patch takes a field out", proves: []string{"patch.merge"},
			steps: []step{
				post("flowschemas", labelled(flowSchema("a"), "team=red", "tier=one")),
				patch("merge", "flowschemas/a", `{"metadata":{"labels":{"team":null}}}`).without("red"),
			},
		},
	}}
}
