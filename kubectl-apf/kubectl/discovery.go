package kubectl

import (
	"net/http"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// serveDiscovery answers with aggregated discovery, which kubectl asks for since 1.27, or
// with the groups alone.
func (s *server) serveDiscovery(w http.ResponseWriter, r *http.Request, core bool) {
	accepted := r.Header.Get("Accept")
	if !strings.Contains(accepted, "g=apidiscovery.k8s.io") {
		writeJSON(w, http.StatusOK, s.kinds.groupsAlone(core))
		return
	}
	version := "v2"
	if !strings.Contains(accepted, "v=v2;") {
		version = "v2beta1"
	}
	list := s.kinds.groups(core)
	list.Kind, list.APIVersion = "APIGroupDiscoveryList", "apidiscovery.k8s.io/"+version
	w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v="+version+";as=APIGroupDiscoveryList")
	writeJSON(w, http.StatusOK, list)
}

// groupsAlone returns the versions of the core group, or the other groups.
func (k kinds) groupsAlone(core bool) any {
	versions := metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions", APIVersion: "v1"}}
	groups := metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}}
	for _, discovered := range k.groups(core).Items {
		group := metav1.APIGroup{Name: discovered.Name}
		for _, version := range discovered.Versions {
			versions.Versions = append(versions.Versions, version.Version)
			group.Versions = append(group.Versions, metav1.GroupVersionForDiscovery{GroupVersion: discovered.Name + "/" + version.Version, Version: version.Version})
		}
		group.PreferredVersion = group.Versions[0]
		groups.Groups = append(groups.Groups, group)
	}
	if core {
		return versions
	}
	return groups
}
