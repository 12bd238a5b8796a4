package kubectl

import (
	"slices"
	"strings"

	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Add returns the lists with a resource known only by name, as if it were in namespaces.
func Add(to []*metav1.APIResourceList, resource schema.GroupVersionResource, singular, kind string) []*metav1.APIResourceList {
	version := resource.GroupVersion().String()
	at := slices.IndexFunc(to, func(list *metav1.APIResourceList) bool { return list.GroupVersion == version })
	if at < 0 {
		at, to = len(to), append(to, &metav1.APIResourceList{GroupVersion: version})
	}
	to[at].APIResources = append(to[at].APIResources, metav1.APIResource{
		Name: resource.Resource, SingularName: singular, Kind: kind, Namespaced: true,
		Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
	})
	return to
}

// kinds are the resources that the server has.
type kinds []*metav1.APIResourceList

// of returns the kind of a resource and whether it is in namespaces.
func (k kinds) of(resource schema.GroupVersionResource) (kind string, namespaced bool) {
	for _, list := range k {
		if list.GroupVersion != resource.GroupVersion().String() {
			continue
		}
		for i := range list.APIResources {
			if list.APIResources[i].Name == resource.Resource {
				return list.APIResources[i].Kind, list.APIResources[i].Namespaced
			}
		}
	}
	return "", false
}

// groups returns the discovery document of the core group, or of the others.
func (k kinds) groups(core bool) apidiscoveryv2.APIGroupDiscoveryList {
	out := apidiscoveryv2.APIGroupDiscoveryList{Items: []apidiscoveryv2.APIGroupDiscovery{}}
	for _, list := range k {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil || (version.Group == "") != core {
			continue
		}
		if n := len(out.Items); n == 0 || out.Items[n-1].Name != version.Group {
			out.Items = append(out.Items, apidiscoveryv2.APIGroupDiscovery{ObjectMeta: metav1.ObjectMeta{Name: version.Group}})
		}
		group := &out.Items[len(out.Items)-1]
		group.Versions = append(group.Versions, apidiscoveryv2.APIVersionDiscovery{
			Version: version.Version, Freshness: apidiscoveryv2.DiscoveryFreshnessCurrent, Resources: discovered(list, version),
		})
	}
	return out
}

// discovered returns the resources of a version, each with its subresources.
func discovered(list *metav1.APIResourceList, version schema.GroupVersion) []apidiscoveryv2.APIResourceDiscovery {
	var out []apidiscoveryv2.APIResourceDiscovery
	for i := range list.APIResources {
		r := &list.APIResources[i]
		kind := &metav1.GroupVersionKind{Group: version.Group, Version: version.Version, Kind: r.Kind}
		if r.Version != "" {
			kind.Group, kind.Version = r.Group, r.Version
		}
		name, subresource, isSub := strings.Cut(r.Name, "/")
		switch {
		case !isSub:
			scope := apidiscoveryv2.ScopeCluster
			if r.Namespaced {
				scope = apidiscoveryv2.ScopeNamespace
			}
			out = append(out, apidiscoveryv2.APIResourceDiscovery{
				Resource: name, ResponseKind: kind, Scope: scope, SingularResource: r.SingularName,
				Verbs: r.Verbs, ShortNames: r.ShortNames, Categories: r.Categories,
			})
		default:
			of := slices.IndexFunc(out, func(one apidiscoveryv2.APIResourceDiscovery) bool { return one.Resource == name })
			if of >= 0 {
				out[of].Subresources = append(out[of].Subresources, apidiscoveryv2.APISubresourceDiscovery{Subresource: subresource, ResponseKind: kind, Verbs: r.Verbs})
			}
		}
	}
	return out
}

// list returns the resources of a group and version; nil if there is none.
func (k kinds) list(version string) *metav1.APIResourceList {
	for _, list := range k {
		if list.GroupVersion == version {
			return list
		}
	}
	return nil
}

// openAPI returns the index of the OpenAPI documents.
func (k kinds) openAPI() object {
	paths := object{}
	for _, list := range k {
		paths[rootOf(list.GroupVersion)] = object{"serverRelativeURL": "/openapi/v3/" + rootOf(list.GroupVersion) + "?hash=1"}
	}
	return object{"paths": paths}
}

// rootOf returns the path of a group and version, without the first slash.
func rootOf(version string) string {
	if strings.Contains(version, "/") {
		return "apis/" + version
	}
	return "api/" + version
}

// openAPIOf returns the OpenAPI document of a path. It has what kubectl looks for: each
// kind, and that it can be patched with validation of its fields.
func (k kinds) openAPIOf(root string) object {
	paths, schemas := object{}, object{}
	list := k.list(strings.TrimPrefix(strings.TrimPrefix(root, "apis/"), "api/"))
	if list == nil {
		list = &metav1.APIResourceList{}
	}
	version, _ := schema.ParseGroupVersion(list.GroupVersion) // as in discovery
	for i := range list.APIResources {
		kind := object{"group": version.Group, "version": version.Version, "kind": list.APIResources[i].Kind}
		paths["/"+root+"/"+list.APIResources[i].Name] = object{"patch": object{
			"parameters":                      []object{{"name": "fieldValidation", "in": "query"}, {"name": "dryRun", "in": "query"}},
			"requestBody":                     object{"content": object{"application/strategic-merge-patch+json": object{}}},
			"responses":                       object{},
			"x-kubernetes-group-version-kind": kind,
		}}
		schemas[list.APIResources[i].Kind] = object{"type": "object", "x-kubernetes-group-version-kind": []object{kind}}
	}
	return object{"openapi": "3.0.0", "info": object{"title": "Kubernetes", "version": "v1"}, "paths": paths, "components": object{"schemas": schemas}}
}
