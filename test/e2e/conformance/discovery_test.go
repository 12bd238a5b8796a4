package conformance

import (
	"maps"
	"slices"
	"strings"
)

// discoveryTheme is about what clients ask before they ask for objects. What
// other groups the peer serves is left out.
func discoveryTheme() theme {
	const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
	schemas := func(documents string) []string {
		return []string{documents, "FlowSchema", "PriorityLevelConfiguration"}
	}
	return theme{"discovery", []testCase{
		{
			name: "unaggregated", proves: []string{"repr.discovery", "versions.preferred"},
			steps: []step{
				get(groupPath).asDiscovered(withoutBeta).saying(`"preferredVersion":{"groupVersion":"flowcontrol.apiserver.k8s.io/v1"`, "v1beta3"),
				get(groupPath + "/v1"), get(groupPath + "/v2").gives(404), get(groupPath+"/v1").with("Accept", protobufType), get(groupPath+"/v1").with("Accept", "application/yaml"),
				get("/apis").asDiscovered(groupAt("groups", "name")),
			},
		},
		{
			name: "aggregated", proves: []string{"repr.discovery"},
			steps: []step{
				get("/apis").with("Accept", aggregated).asDiscovered(groupAt("items", "metadata.name")),
				get("/apis").with("Accept", strings.Replace(aggregated, "v=v2;", "v=v2beta1;", 1)).asDiscovered(groupAt("items", "metadata.name")).gives(406),
			},
		},
		{
			name: "OpenAPI v2", proves: []string{"repr.openapi"},
			steps: []step{
				get("/openapi/v2").only(ownSchemas("definitions", "io.k8s.api.flowcontrol.v1.")).saying(schemas("x-kubernetes-list-map-keys")...),
				get("/openapi/v2").only(ownPaths).saying("x-kubernetes-group-version-kind"),
			},
		},
		{
			name: "OpenAPI v3", proves: []string{"repr.openapi"},
			steps: []step{
				get("/openapi/v3" + groupPath + "/v1").only(schemasOf("io.k8s.api.flowcontrol.v1.")).saying(schemas("x-kubernetes-list-type")...),
				get("/openapi/v3" + groupPath + "/v1").only(sharedSchemas),
				get("/openapi/v3" + groupPath + "/v1").only(ownPaths),
			},
		},
	}}
}

// at is the value at a place, as a.b, nil if there is none.
func at(node any, place string) any {
	for key := range strings.SplitSeq(place, ".") {
		fields, _ := node.(map[string]any)
		node = fields[key]
	}
	return node
}

// withoutBeta takes out of a group what the peer does not say: v1beta3, and at
// which addresses the server is.
func withoutBeta(group any) any {
	fields, _ := group.(map[string]any)
	versions, _ := fields["versions"].([]any)
	delete(fields, "serverAddressByClientCIDRs")
	fields["versions"] = slices.DeleteFunc(versions, func(version any) bool {
		return at(version, "version") == "v1beta3"
	})
	return fields
}

// groupAt picks this group from a list of groups, by its name.
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

// ownSchemas picks the definitions whose name begins like this, at a place.
func ownSchemas(place, beginning string) func(any) any {
	return func(whole any) any {
		found, _ := at(whole, place).(map[string]any)
		found = maps.Clone(found)
		maps.DeleteFunc(found, func(name string, _ any) bool { return !strings.HasPrefix(name, beginning) })
		return found
	}
}

func schemasOf(beginning string) func(any) any { return ownSchemas("components.schemas", beginning) }

// sharedSchemas picks the definitions of what all groups share, without the
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

// ownPaths picks the operations of v1.
func ownPaths(whole any) any { return ownSchemas("paths", v1Path)(whole) }
