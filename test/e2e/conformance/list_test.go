package conformance

// listTheme is about lists: selectors and versions.
func listTheme() theme {
	return theme{"lists", []testCase{
		{
			name: "labels select", proves: []string{"list.labels", "repr.json"},
			steps: []step{
				post("flowschemas", labelled(flowSchema("a"), "team=red")),
				post("flowschemas", labelled(flowSchema("b"), "team=blue")),
				get("flowschemas?labelSelector=team%3Dred").saying(`"a"`).without(`"b"`),
				get("flowschemas?labelSelector=team+in+(red,blue)").saying(`"a"`, `"b"`),
				get("flowschemas?labelSelector=!!").gives(400),
			},
		},
		{
			name: "a version from the future is waited for in vain", proves: []string{"list.future"},
			steps: []step{
				get("flowschemas?resourceVersion=<future>").gives(504).saying("Too large resource version"),
			},
		},
		{
			name: "exact", proves: []string{"list.rv-exact"},
			steps: []step{
				post("flowschemas", flowSchema("a")).keep("then", "metadata.resourceVersion"),
				post("flowschemas", flowSchema("b")),
				get("flowschemas?resourceVersionMatch=Exact&resourceVersion=<then>").saying(`"a"`).without(`"b"`),
			},
		},
		{
			name: "watch", proves: []string{"watch.exact"},
			steps: []step{
				open("w", "flowschemas?watch=true&resourceVersion=<before>"),
				post("flowschemas", flowSchema("a")),
				read("w", 1).saying("ADDED"),
				remove("flowschemas/a", ""),
				read("w", 1).saying("DELETED"),
			},
		},
	}}
}
