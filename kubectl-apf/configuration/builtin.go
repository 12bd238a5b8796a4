package configuration

import (
	_ "embed"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"sigs.k8s.io/yaml"
)

// lastOfRemoved is the last release that creates the flow schemas of removed.yaml.
const lastOfRemoved Release = "1.33"

//go:embed removed.yaml
var removedYAML []byte

// removedSchemas are the differences between the releases from Oldest to Newest. The library has
// them only if it is of a release that creates them. The test of the long lane compares each
// release's objects.
func removedSchemas() ([]*flowcontrolv1.FlowSchema, error) {
	var schemas []*flowcontrolv1.FlowSchema
	if err := yaml.UnmarshalStrict(removedYAML, &schemas); err != nil {
		return nil, fmt.Errorf("removed.yaml of this program: %w", err)
	}
	return schemas, nil
}

// BuiltIn returns the mandatory and suggested objects that kube-apiserver of a release
// creates. Total is unknown. It is an error if the release is not between Oldest and
// Newest.
func BuiltIn(release Release) (Configuration, error) {
	if !slices.Contains(Releases(), release) {
		return Configuration{}, fmt.Errorf("the release %q is unknown: must be from %s to %s", release, Oldest, Newest)
	}
	removed, err := removedSchemas()
	if err != nil {
		return Configuration{}, err
	}
	c := Configuration{Release: release}
	for _, schema := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		if !slices.ContainsFunc(removed, func(r *flowcontrolv1.FlowSchema) bool { return r.Name == schema.Name }) {
			c.FlowSchemas = append(c.FlowSchemas, schema.DeepCopy())
		}
	}
	if !lastOfRemoved.OlderThan(release) {
		c.FlowSchemas = append(c.FlowSchemas, removed...)
	}
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		c.PriorityLevels = append(c.PriorityLevels, level.DeepCopy())
	}
	return c, nil
}
