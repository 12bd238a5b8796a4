package api

// watch is the path of a watch of the levels with the given options.
func watch(options string) string { return "prioritylevelconfigurations?watch=true&" + options }

// watchTheme tests watches: their start, selection and end.
func watchTheme() theme {
	return theme{"watches", append(startCases(), append(eventCases(), endCases()...)...)}
}

func startCases() []testCase {
	create := post("prioritylevelconfigurations", level("a", 1)).keep("then", "metadata.resourceVersion")
	change := patch("merge", "prioritylevelconfigurations/a", `{"spec":{"limited":{"nominalConcurrencyShares":2}}}`)
	end := remove("prioritylevelconfigurations/a", "")
	only := "&fieldSelector=metadata.name%3Da"
	return []testCase{
		{
			name: "from an exact version", proves: []string{"watch.exact", "watch.json"},
			steps: []step{
				create, change, end,
				open("whole", watch("resourceVersion=<before>")), read("whole", 3).saying("ADDED", "MODIFIED", "DELETED"),
				open("rest", watch("resourceVersion=<then>")), read("rest", 2).saying("MODIFIED", "DELETED").without("ADDED"),
			},
		},
		{
			name: "from now: the state, then what is new", proves: []string{"watch.unset"},
			steps: []step{
				create,
				open("w", watch(only[1:])), read("w", 1).saying("ADDED"),
				change, read("w", 1).saying("MODIFIED"), end, read("w", 1).saying("DELETED"),
				create, read("w", 1).saying("ADDED"),
			},
		},
		{
			name: "from any state", proves: []string{"watch.zero"},
			steps: []step{
				create,
				open("w", watch("resourceVersion=0"+only)), read("w", 1).saying("ADDED"),
				change, end, read("w", 2).saying("MODIFIED", "DELETED"),
			},
		},
		{
			name: "the state in full", proves: []string{"watch.unset", "watch.zero"},
			steps: []step{
				open("unset", watch("")), read("unset", 8).saying("ADDED"),
				open("zero", watch("resourceVersion=0")), read("zero", 8).saying("ADDED"),
			},
		},
		{
			name: "of one object by the path of old", proves: []string{"watch.exact"},
			steps: []step{
				create,
				open("one", v1Path+"watch/prioritylevelconfigurations/a?resourceVersion=<before>"),
				open("all", v1Path+"watch/prioritylevelconfigurations?resourceVersion=<before>"),
				change, read("one", 2).saying("ADDED", "MODIFIED"), read("all", 2),
			},
		},
		{
			name: "from a version compacted away", proves: []string{"watch.compacted"},
			steps: []step{
				create, compaction(),
				open("w", watch("resourceVersion=1")), read("w", toEnd).saying(`"code":410`, "Expired"),
				open("f", "flowschemas?watch=true&resourceVersion=1"), read("f", toEnd).saying(`"code":410`),
			},
		},
		{
			name: "from a version that is no version", proves: []string{"watch.exact"},
			steps: []step{
				open("w", watch("resourceVersion=latest")).gives(400), open("w", watch("resourceVersion=-1")).gives(400),
			},
		},
		{
			name: "from the future", proves: []string{"watch.exact"},
			steps: []step{
				open("w", watch("resourceVersion=<future>&timeoutSeconds=1")).gives(410).saying("Expired"),
			},
		},
	}
}

func eventCases() []testCase {
	create := post("prioritylevelconfigurations", labelled(level("a", 1), "team=red"))
	move := func(team string) step {
		return patch("merge", "prioritylevelconfigurations/a", `{"metadata":{"labels":{"team":"`+team+`"}}}`)
	}
	initial := "sendInitialEvents=true&resourceVersionMatch=NotOlderThan"
	return []testCase{
		{
			name: "an object that stops matching is deleted", proves: []string{"watch.selectors"},
			steps: []step{
				open("red", watch("resourceVersion=<before>&labelSelector=team%3Dred")),
				open("blue", watch("resourceVersion=<before>&labelSelector=team%3Dblue")),
				open("not", watch("resourceVersion=<before>&labelSelector=team%21%3Dred")),
				open("other", watch("resourceVersion=<before>&fieldSelector=metadata.name%3Db")),
				create, move("blue"), move("green"), move("red"), remove("prioritylevelconfigurations/a", ""),
				read("red", 4).saying("ADDED", "DELETED"), read("blue", 2).saying("ADDED", "DELETED"),
				read("not", 3).saying("ADDED", "MODIFIED", "DELETED"),
				post("prioritylevelconfigurations", level("b", 1)), read("other", 1).saying(`"b"`),
			},
		},
		{
			name: "initial events, closed by a bookmark", proves: []string{"watch.initial-events", "watch.bookmarks"},
			steps: []step{
				create,
				open("w", watch(initial+"&allowWatchBookmarks=true&labelSelector=team%3Dred")),
				read("w", 2).saying("ADDED", "BOOKMARK", "k8s.io/initial-events-end"),
				move("blue"), read("w", 1).saying("DELETED"),
				open("zero", watch(initial+"&allowWatchBookmarks=true&resourceVersion=0&labelSelector=team")),
				read("zero", 2).saying("k8s.io/initial-events-end"),
				open("all", watch(initial+"&allowWatchBookmarks=true")), read("all", 10).saying("k8s.io/initial-events-end"),
				open("silent", watch(initial+"&labelSelector=team")), read("silent", 1).saying("ADDED"),
			},
		},
		{
			name: "initial events to a client that takes gzip", proves: []string{"watch.initial-events"},
			steps: []step{
				get(watch(initial+"&timeoutSeconds=1")).with("Accept-Encoding", "gzip").saying(`"ADDED"`),
			},
		},
		{
			name: "no initial events", proves: []string{"watch.initial-events"},
			steps: []step{
				create,
				open("w", watch("sendInitialEvents=false&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true")),
				move("blue"), read("w", 1).saying("MODIFIED"),
			},
		},
		{
			name: "initial events that are asked for in the wrong way", proves: []string{"watch.initial-events"},
			steps: []step{
				open("w", watch("sendInitialEvents=true")).gives(422),
				open("w", watch("sendInitialEvents=true&resourceVersionMatch=Exact")).gives(422),
				open("w", watch("resourceVersionMatch=NotOlderThan")).gives(422),
				open("w", watch(initial+"&continue=token")).gives(422), open("w", watch("continue=token")).gives(422),
				open("w", watch("sendInitialEvents=perhaps")).gives(422),
			},
		},
		{
			name: "what comes is what other verbs wrote", proves: []string{"watch.json", "verbs.resource"},
			steps: []step{
				open("w", watch("resourceVersion=<before>")),
				create,
				put("prioritylevelconfigurations/a", level("a", 5)),
				patch("merge", "prioritylevelconfigurations/a/status", `{"status":{"conditions":[{"type":"T","status":"True"}]}}`),
				patch("apply", "prioritylevelconfigurations/a?fieldManager=m&force=true", level("a", 6)),
				patch("merge", "prioritylevelconfigurations/a", `{}`).writesNothing(),
				patch("merge", "prioritylevelconfigurations/a", `{"metadata":{"finalizers":["example.org/x"]}}`),
				remove("prioritylevelconfigurations?labelSelector=team", ""),
				remove("prioritylevelconfigurations/a", ""),
				patch("merge", "prioritylevelconfigurations/a", `{"metadata":{"finalizers":null}}`),
				read("w", 7).saying("ADDED", "MODIFIED", "DELETED"),
			},
		},
	}
}

func endCases() []testCase {
	return []testCase{
		{
			name: "a watch ends in time, after a bookmark", proves: []string{"watch.timeout", "watch.bookmarks"},
			steps: []step{
				post("prioritylevelconfigurations", level("a", 1)),
				// A server sends one bookmark in the second after the initial events, and
				// one two seconds before the end. If a pause delays one of them, the other
				// remains.
				open("w", watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&timeoutSeconds=4&fieldSelector=metadata.name%3Da")),
				read("w", 2).saying("k8s.io/initial-events-end"),
				post("prioritylevelconfigurations", level("b", 1)), read("w", toEnd).saying("BOOKMARK").without("initial-events-end"),
			},
		},
		{
			name: "a watch that asks for no bookmarks gets none", proves: []string{"watch.timeout", "watch.bookmarks"},
			steps: []step{
				post("prioritylevelconfigurations", level("a", 1)).keep("then", "metadata.resourceVersion"),
				open("w", watch("timeoutSeconds=3&fieldSelector=metadata.name%3Da&resourceVersion=<then>")),
				post("prioritylevelconfigurations", level("b", 1)), read("w", toEnd).without("BOOKMARK"),
			},
		},
	}
}
