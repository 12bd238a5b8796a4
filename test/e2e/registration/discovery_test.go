package registration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	apidiscoveryv2 "k8s.io/api/apidiscovery/v2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

const aggregated = "Accept: application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func testDiscovery(t *testing.T, s *site) {
	var known metav1.APIGroup
	s.get(t, "/apis/"+group).decode(t, &known)
	require.Equal(t, group+"/v1", known.PreferredVersion.GroupVersion)
	require.Len(t, known.Versions, 2)

	resources := map[string][]string{}
	for _, version := range []string{"v1", "v1beta3"} {
		var list metav1.APIResourceList
		s.get(t, "/apis/"+group+"/"+version).decode(t, &list)
		for _, resource := range list.APIResources {
			if !strings.Contains(resource.Name, "/") {
				resources[version] = append(resources[version], resource.Name)
			}
		}
	}
	both := []string{"flowschemas", "prioritylevelconfigurations"}
	require.Equal(t, map[string][]string{"v1": both, "v1beta3": both}, resources)

	cluster.Eventually(t, "aggregated discovery has both versions", func(ctx context.Context) error {
		versions, err := s.aggregated(ctx)
		if err != nil {
			return err
		}
		found := map[string][]string{}
		for _, version := range versions {
			if version.Freshness == apidiscoveryv2.DiscoveryFreshnessCurrent {
				for _, resource := range version.Resources {
					found[version.Version] = append(found[version.Version], resource.Resource)
				}
			}
		}
		if !slices.Equal(found["v1"], both) || !slices.Equal(found["v1beta3"], both) {
			return fmt.Errorf("it has %v", found)
		}
		return nil
	})
	cluster.Eventually(t, "OpenAPI v2 is merged", func(context.Context) error {
		body := s.get(t, "/openapi/v2").body
		for _, version := range []string{"v1", "v1beta3"} {
			for _, part := range []string{`"io.k8s.api.flowcontrol.` + version + `.FlowSchema"`, `"` + path(version, "") + `"`} {
				if !strings.Contains(body, part) {
					return fmt.Errorf("there is no %s", part)
				}
			}
		}
		return nil
	})
	cluster.Eventually(t, "OpenAPI v3 is merged", func(context.Context) error { return s.openAPIv3(t) })
	// Who of two servers that both have v1 is asked for its schema is up to chance.
	for range 20 {
		require.NoError(t, s.openAPIv3(t))
	}
}

// aggregated are the versions of the group in aggregated discovery.
func (s *site) aggregated(ctx context.Context) ([]apidiscoveryv2.APIVersionDiscovery, error) {
	discovered, err := s.try(ctx, "/apis", aggregated)
	if err = errors.Join(err, discovered.unless(http.StatusOK)); err != nil {
		return nil, err
	}
	var list apidiscoveryv2.APIGroupDiscoveryList
	if err := json.Unmarshal([]byte(discovered.body), &list); err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list.Items, func(known apidiscoveryv2.APIGroupDiscovery) bool { return known.Name == group })
	if at < 0 {
		return nil, errors.New("the group is not there")
	}
	return list.Items[at].Versions, nil
}

// waitDiscovered waits until discovery knows all our versions so, as kubectl does
// that has not asked before.
func (s *site) waitDiscovered(t *testing.T, freshness apidiscoveryv2.DiscoveryFreshness) {
	t.Helper()
	cluster.Eventually(t, "discovery is "+string(freshness), func(ctx context.Context) error {
		versions, err := s.aggregated(ctx)
		if err != nil {
			return err
		}
		count := 0
		for _, version := range versions {
			if slices.Contains(s.ours, version.Version) && version.Freshness == freshness {
				count++
			}
		}
		if count != len(s.ours) {
			return fmt.Errorf("that of %d of %v is", count, s.ours)
		}
		return nil
	})
}

// openAPIv3 follows the index to the schemas of both versions.
func (s *site) openAPIv3(t *testing.T) error {
	t.Helper()
	var index struct {
		Paths map[string]struct {
			ServerRelativeURL string `json:"serverRelativeURL"`
		} `json:"paths"`
	}
	s.get(t, "/openapi/v3").decode(t, &index)
	for _, version := range []string{"v1", "v1beta3"} {
		url := index.Paths["apis/"+group+"/"+version].ServerRelativeURL
		if url == "" {
			return fmt.Errorf("the index has no %s", version)
		}
		schema := s.get(t, url)
		if err := schema.unless(http.StatusOK); err != nil {
			return err
		}
		if !strings.Contains(schema.body, "io.k8s.api.flowcontrol."+version+".PriorityLevelConfigurationSpec") {
			return fmt.Errorf("%s does not describe the objects", url)
		}
	}
	return nil
}
