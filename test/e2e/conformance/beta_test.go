package conformance

import "strings"

// betaTheme tests v1beta3. kube-apiserver no longer serves it, so the cases run on
// this server alone.
func betaTheme() theme {
	const alone = "kube-apiserver 1.33 has no v1beta3"
	inBeta := func(object string) string {
		return having(object, "apiVersion", "flowcontrol.apiserver.k8s.io/v1beta3")
	}
	warning := func(kind string) string {
		return `299 - "flowcontrol.apiserver.k8s.io/v1beta3 ` + kind + ` is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 ` + kind + `"`
	}
	resources := map[string]string{"flowschemas": "FlowSchema", "prioritylevelconfigurations": "PriorityLevelConfiguration"}
	objects := map[string]string{"flowschemas": inBeta(flowSchema("a")), "prioritylevelconfigurations": inBeta(level("a", 3))}
	var steps []step
	for _, resource := range sortedKeys(resources) {
		path := v1beta3Path + resource
		for _, step := range []step{
			post(path, objects[resource]), get(path), get(path + "/a"), get(path + "/a/status"), put(path+"/a", objects[resource]),
			get(path+"/a").with("Accept", protobufType), get(path+"/a").with("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"),
			patch("merge", path+"/a", "{}"), patch("apply", path+"/a?fieldManager=m", objects[resource]),
			post(path, objects[resource]).gives(409), get(path + "/absent").gives(404), get(path + "?resourceVersion=latest").gives(400),
			get(path + "?resourceVersionMatch=Exact").gives(400), post(path+"?dryRun=Some", objects[resource]).gives(400), put(path+"/a?dryRun=Some", objects[resource]).gives(400),
			patch("apply", path+"/a", objects[resource]).gives(400), remove(path+"/a", "[]").gives(400), remove(path, `{"dryRun":["Some"]}`).gives(400),
			patch("strategic-merge", path+"/a/status", `{"status":{"observed":99999999999}}`).gives(400),
			ask("OPTIONS", path, "").gives(405), ask("PUT", path, "{}").gives(405), remove(path+"/a/status", "").gives(405), get(path + "/a/scale").gives(404),
			get(path).with("Accept", "text/html").gives(406), post(path, objects[resource]).with("Accept", "text/html").gives(406),
			ask("PATCH", path+"/a", "{}").gives(415), post(path, "{}").with("Content-Type", "text/plain").gives(415), put(path+"/a", strings.Repeat(" ", 4<<20)).gives(413),
			open(resource, path+"?watch=true&resourceVersion=<before>"), remove(path+"/a", ""), remove(path+"?labelSelector=none", ""),
		} {
			steps = append(steps, step.warning(warning(resources[resource])))
		}
		steps = append(steps, read(resource, 1).saying("v1beta3"), get(resource+"/exempt").warning())
	}
	zero := inBeta(level("zero", 0))
	return theme{"v1beta3", []testCase{
		{name: "every answer is warned of, in v1 none", proves: []string{"versions.v1beta3", "versions.warning"}, alone: alone, steps: steps},
		{
			name: "zero shares survive the way through both versions", proves: []string{"versions.round-trip", "versions.defaults"}, alone: alone,
			steps: []step{
				post("prioritylevelconfigurations", level("zero", 0)),
				get(v1beta3Path+"prioritylevelconfigurations/zero").saying("v1beta3-preserve-zero-concurrency-shares", `"nominalConcurrencyShares":0`),
				post(v1beta3Path+"prioritylevelconfigurations", having(zero, "metadata.name", "defaulted")).saying(`"nominalConcurrencyShares":30`),
				post("prioritylevelconfigurations", having(level("bare", 0), "spec.limited.nominalConcurrencyShares", nil)).saying(`"nominalConcurrencyShares":30`),
				post(v1beta3Path+"prioritylevelconfigurations", having(having(zero, "metadata.name", "kept"), "metadata.annotations",
					map[string]any{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""})).saying(`"nominalConcurrencyShares":0`),
				get("prioritylevelconfigurations/kept").saying(`"nominalConcurrencyShares":0`),
			},
		},
		{
			name: "a body of one version for the other is refused", proves: []string{"valid.wrong-kind"}, alone: alone,
			steps: []step{
				post("flowschemas", inBeta(flowSchema("a"))).gives(400).writesNothing(), post(v1beta3Path+"flowschemas", flowSchema("a")).gives(400),
				patch("apply", "flowschemas/a?fieldManager=m", inBeta(flowSchema("a"))).gives(400),
			},
		},
		{
			name: "discovery tells of both versions", proves: []string{"versions.v1beta3", "repr.discovery", "repr.openapi"}, alone: alone,
			steps: []step{
				get(groupPath + "/v1beta3").saying(`"flowschemas/status"`),
				get("/apis").with("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList").saying(`"version":"v1beta3"`),
				get("/openapi/v3"+groupPath+"/v1beta3").saying("FlowSchema", "x-kubernetes-list-type"),
				get("/openapi/v2").saying(strings.TrimSuffix(v1beta3Path, "/")),
			},
		},
	}}
}
