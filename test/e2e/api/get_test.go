package api

// getTheme tests reads of one object.
func getTheme() theme {
	changed := []step{
		post("prioritylevelconfigurations", level("a", 1)).keep("then", "metadata.resourceVersion"),
		patch("merge", "prioritylevelconfigurations/a", `{"spec":{"limited":{"nominalConcurrencyShares":2}}}`).keep("now", "metadata.resourceVersion"),
	}
	return theme{"gets", []testCase{
		{
			name: "the most recent, any, or not older", proves: []string{"get.unset", "get.zero", "get.not-older"},
			steps: append(changed,
				get("prioritylevelconfigurations/a").saying(`"nominalConcurrencyShares":2`),
				get("prioritylevelconfigurations/a?resourceVersion=").saying(`"nominalConcurrencyShares":2`),
				get("prioritylevelconfigurations/a?resourceVersion=0").saying(`"nominalConcurrencyShares":2`),
				get("prioritylevelconfigurations/a?resourceVersion=<then>").saying(`"nominalConcurrencyShares":2`),
				get("prioritylevelconfigurations/a?resourceVersion=<now>").saying(`"nominalConcurrencyShares":2`),
				get("prioritylevelconfigurations/a?resourceVersion=1").saying(`"nominalConcurrencyShares":2`),
				get("prioritylevelconfigurations/a/status?resourceVersion=0").saying(`"nominalConcurrencyShares":2`)),
		},
		{
			name: "what is not there", proves: []string{"get.unset"},
			steps: []step{
				get("prioritylevelconfigurations/a").gives(404), get("prioritylevelconfigurations/a?resourceVersion=0").gives(404),
				get("prioritylevelconfigurations/a/status").gives(404), get("prioritylevelconfigurations/a/scale").gives(404),
				get("poems/a").gives(404), get("namespaces/default/flowschemas").gives(404),
			},
		},
		{
			name: "a version that is no version", proves: []string{"get.not-older"},
			steps: []step{get("flowschemas/exempt?resourceVersion=latest").gives(400), get("flowschemas/exempt/status?resourceVersion=latest").gives(400), get("flowschemas/exempt?resourceVersion=-1").gives(400)},
		},
		{
			name: "a version from the future", proves: []string{"get.not-older"},
			steps: []step{get("flowschemas/exempt?resourceVersion=<future>").gives(504).saying("Too large resource version")},
		},
		{
			name: "methods that there are not", proves: []string{"verbs.resource"},
			steps: []step{
				ask("PUT", "flowschemas", flowSchema("a")).gives(405), ask("PATCH", "flowschemas", flowSchema("a")).gives(405),
				ask("POST", "flowschemas/a", flowSchema("a")).gives(405), ask("HEAD", "flowschemas", "").gives(405),
				ask("OPTIONS", "flowschemas", "").gives(405), ask("TRACE", "flowschemas/exempt", "").gives(405),
			},
		},
	}}
}
