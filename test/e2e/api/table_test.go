package api

import (
	"slices"
	"strings"
)

// tableTheme tests tables, the representation that kubectl prints.
func tableTheme() theme {
	const asTable = "application/json;as=Table;g=meta.k8s.io;v="
	queuing := map[string]any{"type": "Queue", "queuing": map[string]any{"queues": 16, "handSize": 4, "queueLengthLimit": 50}}
	dangling := having(flowSchema("dangling"), "spec.distinguisherMethod", map[string]any{"type": "ByUser"})
	conditions := `{"status":{"conditions":[{"type":"Dangling","status":"True"}]}}`
	begin := []step{
		post("prioritylevelconfigurations", having(level("queued", 7), "spec.limited.limitResponse", queuing)), post("prioritylevelconfigurations", level("zero", 0)),
		post("flowschemas", dangling), patch("merge", "flowschemas/dangling/status", conditions),
		post("flowschemas", having(flowSchema("early"), "spec.matchingPrecedence", 3)),
	}
	var schemas, levels []step
	for _, version := range []string{"v1", "v1beta1"} {
		for _, include := range []string{"", "?includeObject=None", "?includeObject=Metadata", "?includeObject=Object"} {
			for _, object := range []string{"", "/dangling", "/exempt", "/catch-all"} {
				schemas = append(schemas, get("flowschemas"+object+include).with("Accept", asTable+version).saying("PriorityLevel"))
			}
			for _, object := range []string{"", "/queued", "/zero", "/exempt"} {
				levels = append(levels, get("prioritylevelconfigurations"+object+include).with("Accept", asTable+version).saying("NominalConcurrencyShares"))
			}
		}
	}
	return theme{"tables", []testCase{
		{name: "flow schemas", proves: []string{"repr.table", "repr.columns-schema"}, steps: append(slices.Clip(begin), schemas...)},
		{name: "priority levels", proves: []string{"repr.table", "repr.columns-level"}, steps: append(slices.Clip(begin), levels...)},
		{
			name: "tables of chunks, of writes, and watched", proves: []string{"repr.table", "list.chunks"},
			steps: []step{
				get("flowschemas?limit=2").with("Accept", asTable+"v1").saying("remainingItemCount").keep("token", "metadata.continue"),
				get("flowschemas?limit=2&continue=<token>").with("Accept", asTable+"v1"),
				get("flowschemas?labelSelector=none").with("Accept", asTable+"v1"),
				get("flowschemas/absent").with("Accept", asTable+"v1").gives(404),
				get("flowschemas").with("Accept", strings.Replace(asTable+"v1", "json", "yaml", 1)),
				get("flowschemas").with("Accept", strings.Replace(asTable+"v1", "application/json", protobufType, 1)).gives(406),
				get("flowschemas").with("Accept", asTable+"v1, application/json"),
				get("flowschemas?includeObject=Some").with("Accept", asTable+"v1").gives(400),
				open("w", "flowschemas?watch=true&resourceVersion=<before>").with("Accept", asTable+"v1"),
				post("flowschemas", flowSchema("a")).with("Accept", asTable+"v1"), patch("merge", "flowschemas/a", `{"spec":{"matchingPrecedence":7}}`).with("Accept", asTable+"v1"),
				remove("flowschemas/a", "").with("Accept", asTable+"v1"),
				read("w", 3).saying("columnDefinitions"),
			},
		},
	}}
}
