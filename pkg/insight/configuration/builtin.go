package configuration

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// removal is a built-in object that later releases do not create.
type removal struct {
	name string
	// last is the last release that creates it.
	last Release
}

// removedSchemas are the differences between the releases from Oldest to Newest. The
// test of the long lane compares them with each release's objects.
func removedSchemas() []removal {
	return []removal{
		{name: "endpoint-controller", last: "1.33"},
		{name: "workload-leader-election", last: "1.33"},
	}
}

// BuiltIn returns the mandatory and suggested objects that kube-apiserver of a release
// creates. Total is unknown. It is an error if the release is not between Oldest and
// Newest.
func BuiltIn(release Release) (Configuration, error) {
	if !slices.Contains(Releases(), release) {
		return Configuration{}, fmt.Errorf("the release %q is unknown: must be one of %s", release, join(Releases()))
	}
	c := Configuration{Release: release}
	for _, schema := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		if isIn(release, schema) {
			c.FlowSchemas = append(c.FlowSchemas, schema.DeepCopy())
		}
	}
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		c.PriorityLevels = append(c.PriorityLevels, level.DeepCopy())
	}
	return c, nil
}

func isIn(release Release, schema *flowcontrolv1.FlowSchema) bool {
	return !slices.ContainsFunc(removedSchemas(), func(r removal) bool {
		return r.name == schema.Name && release.Compare(r.last) > 0
	})
}

func join(releases []Release) string {
	names := make([]string, 0, len(releases))
	for _, release := range releases {
		names = append(names, string(release))
	}
	return strings.Join(names, ", ")
}
