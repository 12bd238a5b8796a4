package api

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// betaTheme tests v1beta3, beside a kube-apiserver that emulates 1.31.
func betaTheme() theme {
	warning := func(kind string) string {
		return `299 - "flowcontrol.apiserver.k8s.io/v1beta3 ` + kind + ` is deprecated in v1.29+, unavailable in v1.32+; use flowcontrol.apiserver.k8s.io/v1 ` + kind + `"`
	}
	resources := map[string]string{"flowschemas": "FlowSchema", "prioritylevelconfigurations": "PriorityLevelConfiguration"}
	objects := map[string]string{"flowschemas": inBeta(flowSchema("a")), "prioritylevelconfigurations": inBeta(level("a", 3))}
	var steps []step
	for _, resource := range slices.Sorted(maps.Keys(resources)) {
		path := v1beta3Path + resource
		for _, step := range []step{
			post(path, objects[resource]), get(path), get(path + "/a"), get(path + "/a/status"), put(path+"/a", objects[resource]),
			get(path+"/a").with("Accept", protobufType), get(path+"/a").with("Accept", "application/json;as=Table;g=meta.k8s.io;v=v1"),
			patch("merge", path+"/a", "{}"), patch("apply", path+"/a?fieldManager=m", objects[resource]),
			post(path, objects[resource]).gives(409), get(path + "/absent").gives(404),
			get(path + "?resourceVersionMatch=Exact").gives(422), post(path+"?dryRun=Some", objects[resource]).gives(422), put(path+"/a?dryRun=Some", objects[resource]).gives(422),
			patch("apply", path+"/a", objects[resource]).gives(422), remove(path, `{"dryRun":["Some"]}`).gives(422),
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
		{name: "every answer is warned of, in v1 none", beta: true, steps: steps},
		{name: "two writers, one in each version", beta: true, steps: writerSteps()},
		{
			name: "zero shares survive the way through both versions", beta: true,
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
			name: "a body of one version for the other is rejected", beta: true,
			steps: []step{
				post("flowschemas", inBeta(flowSchema("a"))).gives(400).writesNothing(), post(v1beta3Path+"flowschemas", flowSchema("a")).gives(400),
				patch("apply", "flowschemas/a?fieldManager=m", inBeta(flowSchema("a"))).gives(400),
			},
		},
		{
			name: "discovery tells of both versions", beta: true,
			steps: []step{
				get(groupPath + "/v1beta3").saying(`"flowschemas/status"`),
				get("/apis").with("Accept", aggregatedType).asDiscovered(groupAt("items", "metadata.name")).saying(`"version":"v1beta3"`),
				get("/openapi/v3"+groupPath+"/v1beta3").only(schemasOf("io.k8s.api.flowcontrol.v1beta3.")).saying("FlowSchema", "x-kubernetes-list-type"),
				get("/openapi/v2").only(ownSchemas("definitions", "io.k8s.api.flowcontrol.v1beta3.")).saying(strings.TrimSuffix(v1beta3Path, "/")),
			},
		},
	}}
}

// writerSteps are the writes of two clients to one level, one in each version, each
// upon the other's last.
func writerSteps() []step {
	const one = "prioritylevelconfigurations/a"
	at := func(object string) string { return having(object, "metadata.resourceVersion", "<now>") }
	now := func(s step) step { return s.keep("now", "metadata.resourceVersion") }
	old, status := v1beta3Path+one, `{"status":{"conditions":[{"type":%q,"status":"True"}]}}`
	return []step{
		open("new", "prioritylevelconfigurations?watch=true&resourceVersion=<before>"), open("old", v1beta3Path+"prioritylevelconfigurations?watch=true&resourceVersion=<before>"),
		now(post("prioritylevelconfigurations", level("a", 1))), now(put(old, at(inBeta(level("a", 2))))), now(put(one, at(level("a", 3)))).saying(`"generation":3`),
		patch("merge", old, `{"spec":{"limited":{"nominalConcurrencyShares":4}}}`).saying(`"generation":4`),
		put(one, at(level("a", 5))).gives(409).writesNothing(), put(old, at(inBeta(level("a", 5)))).gives(409).writesNothing(),
		patch("json", one, `[{"op":"test","path":"/spec/limited/nominalConcurrencyShares","value":4},{"op":"replace","path":"/spec/limited/nominalConcurrencyShares","value":0}]`),
		patch("merge", old, `{"metadata":{"labels":{"by":"old"}}}`).saying("preserve-zero", `"nominalConcurrencyShares":0`),
		get(one).saying(`"nominalConcurrencyShares":0`, `"by":"old"`).without("preserve-zero"),
		patch("strategic-merge", one+"/status", fmt.Sprintf(status, "New")), patch("strategic-merge", old+"/status", fmt.Sprintf(status, "Old")).saying(`"New"`, `"Old"`),
		now(patch("merge", old, `{"metadata":{"annotations":{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares":null}}}`)).saying(`"nominalConcurrencyShares":30`),
		now(put(one, at(level("a", 7)))), remove(old, `{"preconditions":{"resourceVersion":"<before>"}}`).gives(409), remove(old, `{"preconditions":{"resourceVersion":"<now>"}}`),
		put(one, at(level("a", 8))).gives(404), now(post(v1beta3Path+"prioritylevelconfigurations", inBeta(level("a", 9)))), remove(one, ""),
		read("new", 12), read("old", 12),
	}
}
