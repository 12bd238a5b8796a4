package behind

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

const aggregated = "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func testDiscovery(t *testing.T, s *site) {
	resources := []string{"flowschemas", "prioritylevelconfigurations"}
	both := map[string][]string{"v1": resources, "v1beta3": resources}
	eventually.Holds(t, "discovery has both versions", func(a *eventually.Attempt) {
		var known metav1.APIGroup
		decode(a, s.get(a, "/apis/"+group), &known)
		require.Equal(a, group+"/v1", known.PreferredVersion.GroupVersion)
		require.Len(a, known.Versions, 2)
		require.Equal(a, both, s.legacy(a))
	})
	eventually.Holds(t, "aggregated discovery has both versions", func(a *eventually.Attempt) {
		found := map[string][]string{}
		for _, version := range s.aggregated(a) {
			if version.Freshness == apidiscoveryv2.DiscoveryFreshnessCurrent {
				for _, resource := range version.Resources {
					found[version.Version] = append(found[version.Version], resource.Resource)
				}
			}
		}
		require.Equal(a, both, found)
	})
	eventually.Holds(t, "OpenAPI v2 is merged", func(a *eventually.Attempt) {
		body := s.get(a, "/openapi/v2").Body
		for _, version := range []string{"v1", "v1beta3"} {
			for _, part := range []string{`"io.k8s.api.flowcontrol.` + version + `.FlowSchema"`, `"` + path(version, "") + `"`} {
				require.Contains(a, body, part)
			}
		}
	})
	eventually.Holds(t, "OpenAPI v3 is merged", func(a *eventually.Attempt) { s.requireOpenAPIv3(a) })
	// Repeat: kube-apiserver asks either of two servers that both have v1.
	for range 20 {
		s.requireOpenAPIv3(t)
	}
}

// legacy returns the resources of both versions in unaggregated discovery, by
// version.
func (s *site) legacy(t tester) map[string][]string {
	t.Helper()
	resources := map[string][]string{}
	for _, version := range []string{"v1", "v1beta3"} {
		var list metav1.APIResourceList
		decode(t, s.get(t, "/apis/"+group+"/"+version), &list)
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") {
				resources[version] = append(resources[version], resource.Name)
			}
		}
	}
	return resources
}

// aggregated returns the versions of the group in aggregated discovery.
func (s *site) aggregated(t tester) []apidiscoveryv2.APIVersionDiscovery {
	t.Helper()
	var list apidiscoveryv2.APIGroupDiscoveryList
	decode(t, s.get(t, "/apis", aggregated), &list)
	at := slices.IndexFunc(list.Items, func(known apidiscoveryv2.APIGroupDiscovery) bool { return known.Name == group })
	require.NotEqual(t, -1, at, "the group is not there")
	return list.Items[at].Versions
}

// waitDiscovered waits until aggregated discovery, read without a cache, has this
// freshness for all versions of this server.
func (s *site) waitDiscovered(t *testing.T, freshness apidiscoveryv2.DiscoveryFreshness) {
	t.Helper()
	eventually.Holds(t, "discovery is "+string(freshness), func(a *eventually.Attempt) {
		var found []string
		for _, version := range s.aggregated(a) {
			if version.Freshness == freshness {
				found = append(found, version.Version)
			}
		}
		require.Subset(a, found, s.ours)
	})
}

// requireOpenAPIv3 follows the index to the schemas of both versions.
func (s *site) requireOpenAPIv3(t tester) {
	t.Helper()
	var index struct {
		Paths map[string]struct {
			ServerRelativeURL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	decode(t, s.get(t, "/openapi/v3"), &index)
	for _, version := range []string{"v1", "v1beta3"} {
		url := index.Paths["apis/"+group+"/"+version].ServerRelativeURL
		require.NotEmpty(t, url, "the index has no %s", version)
		schema := s.get(t, url)
		require.Equal(t, http.StatusOK, schema.Code, schema.Body)
		require.Contains(t, schema.Body, "io.k8s.api.flowcontrol."+version+".PriorityLevelConfigurationSpec", url)
	}
}
