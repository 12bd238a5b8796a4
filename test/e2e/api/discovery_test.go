package api

import (
	"maps"
	"slices"
	"strings"
)

// aggregatedType is the representation of aggregated discovery.
const aggregatedType = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

// discoveryTheme tests discovery and OpenAPI. It ignores the other groups of the
// peer.
func discoveryTheme() theme {
	schemas := func(documents string) []string {
		return []string{documents, "FlowSchema", "PriorityLevelConfiguration"}
	}
	return theme{"discovery", []testCase{
		{
			name: "unaggregated", v1Only: true,
			steps: []step{
				get(groupPath).asDiscovered(withoutBeta).saying(`"preferredVersion":{"groupVersion":"flowcontrol.apiserver.k8s.io/v1"`, "v1beta3"),
				get(groupPath + "/v1"), get(groupPath + "/v2").gives(404), get(groupPath+"/v1").with("Accept", protobufType), get(groupPath+"/v1").with("Accept", "application/yaml"),
				get("/apis").asDiscovered(groupAt("groups", "name")),
			},
		},
		{
			name: "aggregated", v1Only: true,
			steps: []step{
				get("/apis").with("Accept", aggregatedType).asDiscovered(groupAt("items", "metadata.name")),
				get("/apis").with("Accept", strings.Replace(aggregatedType, "v=v2;", "v=v2beta1;", 1)).asDiscovered(groupAt("items", "metadata.name")).gives(406),
			},
		},
		{
			name: "OpenAPI v2", v1Only: true,
			steps: []step{
				get("/openapi/v2").only(ownSchemas("definitions", "io.k8s.api.flowcontrol.v1.")).saying(schemas("x-kubernetes-list-map-keys")...),
				get("/openapi/v2").only(ownPaths).saying("x-kubernetes-group-version-kind"),
			},
		},
		{
			name: "OpenAPI v3", v1Only: true,
			steps: []step{
				get("/openapi/v3" + groupPath + "/v1").only(schemasOf("io.k8s.api.flowcontrol.v1.")).saying(schemas("x-kubernetes-list-type")...),
				get("/openapi/v3" + groupPath + "/v1").only(sharedSchemas),
				get("/openapi/v3" + groupPath + "/v1").only(ownPaths),
				get("/openapi/v3" + groupPath + "/v1?hash=FF").only(ownPaths),
			},
		},
		{
			name: "health", v1Only: true,
			steps: []step{
				get("/livez"), get("/readyz"), get("/healthz"), get("/livez/ping"), get("/readyz/ping"), get("/livez/log"),
				get("/livez/etcd"), get("/readyz/etcd"), get("/healthz/etcd"), get("/readyz/etcd-readiness"), get("/readyz/shutdown"),
				get("/livez?verbose").saying("livez check passed"),
			},
		},
	}}
}

// at returns the value at a place such as a.b, nil if there is none.
func at(node any, place string) any {
	for key := range strings.SplitSeq(place, ".") {
		fields, _ := node.(map[string]any)
		node = fields[key]
	}
	return node
}

// withoutBeta removes from a group what the peer does not have: v1beta3, and the
// server's addresses.
func withoutBeta(group any) any {
	fields, _ := group.(map[string]any)
	versions, _ := fields["versions"].([]any)
	withoutAddresses(fields)
	fields["versions"] = slices.DeleteFunc(versions, func(version any) bool {
		return at(version, "version") == "v1beta3"
	})
	return fields
}

// groupAt selects this group from a list of groups, by its name.
func groupAt(list, name string) func(any) any {
	return func(whole any) any {
		groups, _ := at(whole, list).([]any)
		for _, group := range groups {
			if at(group, name) == "flowcontrol.apiserver.k8s.io" {
				return withoutBeta(group)
			}
		}
		return nil
	}
}

// ownSchemas selects the entries at a place whose name has a prefix.
func ownSchemas(place, beginning string) func(any) any {
	return func(whole any) any {
		found, _ := at(whole, place).(map[string]any)
		found = maps.Clone(found)
		maps.DeleteFunc(found, func(name string, _ any) bool { return !strings.HasPrefix(name, beginning) })
		return found
	}
}

func schemasOf(beginning string) func(any) any { return ownSchemas("components.schemas", beginning) }

// sharedSchemas selects the definitions that all groups share, without their
// groups.
func sharedSchemas(whole any) any {
	found, _ := schemasOf("io.k8s.apimachinery.")(whole).(map[string]any)
	for _, schema := range found {
		if fields, ok := schema.(map[string]any); ok {
			delete(fields, "x-kubernetes-group-version-kind")
		}
	}
	return found
}

// ownPaths selects the operations of v1.
func ownPaths(whole any) any { return ownSchemas("paths", v1Path)(whole) }
