package api

import "slices"

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
		{name: "flow schemas", steps: append(slices.Clip(begin), schemas...)},
		{name: "priority levels", steps: append(slices.Clip(begin), levels...)},
		{
			name: "tables of writes, and watched",
			steps: []step{
				get("flowschemas/absent").with("Accept", asTable+"v1").gives(404),
				open("w", "flowschemas?watch=true&resourceVersion=<before>").with("Accept", asTable+"v1"),
				post("flowschemas", flowSchema("a")).with("Accept", asTable+"v1"), patch("merge", "flowschemas/a", `{"spec":{"matchingPrecedence":7}}`).with("Accept", asTable+"v1"),
				remove("flowschemas/a", "").with("Accept", asTable+"v1"),
				read("w", 3).saying("columnDefinitions"),
			},
		},
	}}
}
