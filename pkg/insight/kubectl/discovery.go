package kubectl

import (
	"net/http"
	"strings"
)

// serveDiscovery answers with aggregated discovery, which kubectl asks for since 1.27.
func (s *server) serveDiscovery(w http.ResponseWriter, r *http.Request, core bool) {
	version := "v2"
	if !strings.Contains(r.Header.Get("Accept"), "v=v2;") {
		version = "v2beta1"
	}
	list := s.kinds.groups(core)
	list.Kind, list.APIVersion = "APIGroupDiscoveryList", "apidiscovery.k8s.io/"+version
	w.Header().Set("Content-Type", "application/json;g=apidiscovery.k8s.io;v="+version+";as=APIGroupDiscoveryList")
	writeJSON(w, http.StatusOK, list)
}
