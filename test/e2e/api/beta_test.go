package api

import (
	"maps"
	"slices"
	"strings"
)

// betaCases are the cases of v1beta3 that no script has: each answer is compared with a warning, or in part.
func betaCases() []testCase {
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
	return []testCase{
		{name: "every answer is warned of, in v1 none", beta: true, steps: steps},
		{
			name: "discovery tells of both versions", beta: true,
			steps: []step{
				get(groupPath + "/v1beta3").saying(`"flowschemas/status"`),
				get("/apis").with("Accept", aggregatedType).asDiscovered(groupAt("items", "metadata.name")).saying(`"version":"v1beta3"`),
				get("/openapi/v3"+groupPath+"/v1beta3").only(schemasOf("io.k8s.api.flowcontrol.v1beta3.")).saying("FlowSchema", "x-kubernetes-list-type"),
				get("/openapi/v2").only(ownSchemas("definitions", "io.k8s.api.flowcontrol.v1beta3.")).saying(strings.TrimSuffix(v1beta3Path, "/")),
			},
		},
	}
}
