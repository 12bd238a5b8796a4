package api

import "slices"

// chunkTheme tests lists in chunks.
func chunkTheme() theme {
	begin := []step{
		post("flowschemas", labelled(flowSchema("a"), "set=one")), post("flowschemas", labelled(flowSchema("b"), "set=one")),
		post("flowschemas", labelled(flowSchema("c"), "set=one")),
		get("flowschemas?limit=2").keep("token", "metadata.continue").saying("remainingItemCount"),
	}
	return theme{"chunks", []testCase{
		{
			name: "writes between chunks do not show", proves: []string{"list.chunks", "list.remaining"},
			steps: append(slices.Clip(begin),
				post("flowschemas", flowSchema("between")), remove("flowschemas/c", ""),
				patch("merge", "flowschemas/catch-all", `{"metadata":{"labels":{"new":"yes"}}}`),
				get("flowschemas?limit=1&continue=<token>").saying(`"c"`, "remainingItemCount").without("between").keep("next", "metadata.continue"),
				get("flowschemas?limit=500&continue=<next>").saying("catch-all").without(`"new"`, "remainingItemCount", `"continue"`),
				get("flowschemas?continue=<token>").saying(`"c"`),
				get("flowschemas?limit=500").saying("between").without(`"c"`)),
		},
		{
			name: "a selector hides how many are left", proves: []string{"list.remaining", "list.chunks"},
			steps: append(slices.Clip(begin),
				get("flowschemas?limit=2&labelSelector=set%3Done").without("remainingItemCount").keep("selected", "metadata.continue"),
				get("flowschemas?limit=2&labelSelector=set%3Done&continue=<selected>").saying(`"c"`).without(`"continue"`),
				get("flowschemas?limit=1&fieldSelector=metadata.name%3Da"),
				get("flowschemas?limit=1&fieldSelector=metadata.name%3Dcatch-all"),
				get("flowschemas?limit=1&labelSelector=set%3Dnone").saying(`"items":[]`)),
		},
		{
			name: "chunks of an exact version", proves: []string{"list.chunks", "list.rv-exact"},
			steps: append(slices.Clip(begin),
				get("flowschemas/b").keep("then", "metadata.resourceVersion"),
				get("flowschemas?limit=1&resourceVersionMatch=Exact&resourceVersion=<then>").saying(`"a"`).keep("old", "metadata.continue"),
				get("flowschemas?limit=2&continue=<old>").saying(`"b"`).without(`"c"`)),
		},
		{
			name: "a token that expired goes on in another snapshot", proves: []string{"list.expired-token"},
			steps: append(slices.Clip(begin),
				post("flowschemas", flowSchema("between")),
				compaction(),
				get("flowschemas?limit=2&continue=<token>").gives(410).saying("Expired").givesSince("0.36", 200).keep("fresh", "metadata.continue"),
				get("flowschemas?limit=1&continue=<fresh>").saying("between").givesSince("0.36", 200).keep("next", "metadata.continue"),
				get("flowschemas?limit=500&continue=<next>").saying(`"c"`).givesSince("0.36", 200),
				get("flowschemas?limit=2&continue=<fresh>&resourceVersion=<before>").gives(400)),
		},
		{
			name: "a broken token is rejected", proves: []string{"list.broken-token"},
			steps: []step{
				get("flowschemas?limit=2&continue=nonsense").gives(400),
				get("flowschemas?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ").gives(400), // {"v":"meta.k8s.io/v1"}
				get("flowschemas?limit=2&continue=eyJ2IjoiYSJ9").gives(400),                   // {"v":"a"}
				// {"v":"meta.k8s.io/v1","rv":5,"start":"../other\u0000"}: no other prefix
				// is read.
				get("flowschemas?limit=2&continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiIuLi9vdGhlclx1MDAwMCJ9").gives(400),
				get("flowschemas?limit=-1"),
			},
		},
	}}
}
