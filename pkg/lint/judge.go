package lint

import (
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	flowcontroldefaults "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
)

// judge collects the findings about a bundle.
type judge struct {
	*Bundle
	// defaults are Bundle.Defaults with the defaults of their fields.
	defaults Defaults
	// schemas are the FlowSchemas in matching order, levels the levels by name, with
	// the mandatory ones, which are enforced even if they are not stored.
	schemas []*flowcontrolv1.FlowSchema
	levels  map[string]*flowcontrolv1.PriorityLevelConfiguration
	// limits are the limits of the levels; nil if the total is unknown.
	limits map[string]allocation.Limits
	// shadowed are the schemas that never match because of earlier ones.
	shadowed map[string]bool
	matching *matcher // see matcher
	findings []Finding
}

func newJudge(bundle *Bundle) *judge {
	j := &judge{
		Bundle: bundle, defaults: bundle.Defaults.complete(),
		levels: map[string]*flowcontrolv1.PriorityLevelConfiguration{}, shadowed: map[string]bool{},
	}
	for _, level := range j.defaults.PriorityLevels {
		if isMandatoryLevel(level.Name) {
			j.levels[level.Name] = level
		}
	}
	for _, level := range completeLevels(bundle.PriorityLevels) {
		j.levels[level.Name] = level
	}
	j.schemas = completeSchemas(bundle.FlowSchemas)
	slices.SortStableFunc(j.schemas, compareMatchingOrder)
	j.limits = limitsOf(j.levels, bundle.Total)
	return j
}

func (j *judge) add(findings ...Finding) { j.findings = append(j.findings, findings...) }

// selected returns the findings that Only selects, sorted.
func (j *judge) selected() []Finding {
	if j.Only != nil {
		objects := make(map[Object]bool, len(j.Only))
		for _, object := range j.Only {
			objects[object] = true
		}
		j.findings = slices.DeleteFunc(j.findings, func(f Finding) bool { return !f.concerns(objects) })
	}
	sortFindings(j.findings)
	return j.findings
}

// levelExists reports whether a level is enforced.
func (j *judge) levelExists(name string) bool { return isMandatoryLevel(name) || j.levels[name] != nil }

// completeSchemas returns copies of the schemas with their defaults. A copy shares its
// rules with the original.
func completeSchemas(schemas []*flowcontrolv1.FlowSchema) []*flowcontrolv1.FlowSchema {
	complete := make([]*flowcontrolv1.FlowSchema, len(schemas))
	for i, schema := range schemas {
		copied := *schema
		flowcontroldefaults.SetObjectDefaults_FlowSchema(&copied)
		complete[i] = &copied
	}
	return complete
}

// completeLevels returns copies of the levels with their defaults.
func completeLevels(levels []*flowcontrolv1.PriorityLevelConfiguration) []*flowcontrolv1.PriorityLevelConfiguration {
	complete := make([]*flowcontrolv1.PriorityLevelConfiguration, len(levels))
	for i, level := range levels {
		complete[i] = level.DeepCopy()
		flowcontroldefaults.SetObjectDefaults_PriorityLevelConfiguration(complete[i])
	}
	return complete
}
