package lint

import (
	"context"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/utils/clock"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
)

// Reader reads the stored configuration. Its errors suppress the findings that
// depend on what could not be read, and FC115 says so.
type Reader interface {
	// FlowSchemas returns, sorted by name, the FlowSchemas whose masks may
	// intersect the given one. They are read only, and may be slightly out of date. A reader that
	// returns the same Compared again saves the work of preparing it.
	FlowSchemas(context.Context, UserMask) ([]*Compared, error)
	// PriorityLevels returns all levels. They are read only, and may be slightly out
	// of date.
	PriorityLevels(context.Context) ([]*flowcontrolv1.PriorityLevelConfiguration, error)
	// LevelExists reports whether the priority level exists, possibly slightly out
	// of date.
	LevelExists(ctx context.Context, name string) (bool, error)
	// LevelIsAbsent reports whether the priority level does not exist, by the most
	// recent state.
	LevelIsAbsent(ctx context.Context, name string) (bool, error)
}

// Advisor judges single objects that have been written to a store. Its findings agree with Check's,
// except where the rest of a bundle may still be written or deleted: a deleted level is an info, a
// missing one an info of updates only (MissingLevel), and a level that no FlowSchema names is no
// finding. Nor are hands of queues (SharedHands), since the server that is written to has a queue for
// each flow. Objects have passed validation and have their defaults.
type Advisor struct {
	defaults Defaults
	builtIn  []*Compared // the FlowSchemas of defaults
	total    int
	clock    clock.PassiveClock // for the budget of a write
	facts    known              // none about a cluster
}

// NewAdvisor returns an Advisor for a server of total seats, 0 if unknown, that keeps
// these built-in objects.
func NewAdvisor(defaults Defaults, total int, clock clock.PassiveClock) *Advisor {
	defaults = defaults.complete()
	return &Advisor{defaults: defaults, builtIn: comparedOf(defaults.FlowSchemas), total: total, clock: clock, facts: known{plurals: plurals()}}
}

// FlowSchema returns the findings about a FlowSchema that has been written. There are
// none about mandatory FlowSchemas, whose spec is fixed.
func (a *Advisor) FlowSchema(ctx context.Context, schema *flowcontrolv1.FlowSchema, stored Reader) []Finding {
	if isMandatorySchema(schema.Name) {
		return nil
	}
	isDefault := a.defaults.hasSchema(schema)
	findings := ownership(schemaObject(schema.Name), schema, a.defaults.schema(schema.Name) != nil, isDefault)
	written := NewCompared(schema)
	others, err := stored.FlowSchemas(ctx, written.Mask())
	within := a.ofWrite(ctx) // what is read before may have waited for a cache
	if !isDefault {
		levels, _ := levelsOf(ctx, stored) // without the level, there are no findings that depend on it
		findings = append(findings, schemaFindings(written, levels[schema.Spec.PriorityLevelConfiguration.Name], &a.facts, within)...)
	}
	if err == nil {
		findings = append(findings, a.besideOthers(ctx, written, others, stored, within)...)
	}
	sortFindings(findings)
	if err != nil {
		return slices.Insert(findings, 0, notRead(schemaObject(schema.Name), "FlowSchemas")) // what comes last may not fit into a header
	}
	return slices.Insert(findings, 0, tooLong(schema, within, "Check it with kubectl apf lint, or use groups and wildcards instead of long lists.")...)
}

// MissingLevel returns FC101 about a FlowSchema that existed before it was written, whatever
// the write changes. A bundle is often created, in a dry run too, before its levels are:
// who creates a FlowSchema is not warned. An update says that the bundle is complete, and
// takes effect at once.
func (a *Advisor) MissingLevel(ctx context.Context, schema *flowcontrolv1.FlowSchema, stored Reader) []Finding {
	if !isMissing(ctx, schema.Spec.PriorityLevelConfiguration.Name, stored) {
		return nil
	}
	return []Finding{missingLevel(schema, "no request matches this FlowSchema until it does").as(Info)}
}

// besideOthers returns FC103 or, if the schema can match, FC104 and FC303.
func (a *Advisor) besideOthers(ctx context.Context, schema *Compared, others []*Compared, stored Reader, within *budget.Budget) []Finding {
	beside := concerning(schema, others, within)
	before := earlierThan(schema, beside, within)
	if covering := shadowedBy(schema, before, levelLookup(ctx, stored), within); len(covering) > 0 {
		return []Finding{neverMatches(schema.FlowSchema, flowSchemas(covering))}
	}
	var findings []Finding
	if tied := tiedWith(schema, beside, within); len(tied) > 0 {
		after := slices.IndexFunc(tied, func(other *Compared) bool { return other.Name > schema.Name })
		if after < 0 {
			after = len(tied)
		}
		findings = append(findings, precedenceInUse(schema, tied[:after], tied[after:], within))
	}
	diverting := newDiversion(a.defaults, a.builtIn, others)
	candidates := diverting.candidates(schema, within)
	if len(candidates) == 0 {
		return findings
	}
	levels, err := levelsOf(ctx, stored)
	if err != nil {
		return append(findings, notRead(schemaObject(schema.Name), "PriorityLevelConfigurations"))
	}
	diverting.ranks = ranksOf(levels, limitsOf(levels, a.total))
	return append(findings, diverting.finding(schema.FlowSchema, candidates)...)
}

// levelsOf returns the enforced levels by name.
func levelsOf(ctx context.Context, stored Reader) (map[string]*flowcontrolv1.PriorityLevelConfiguration, error) {
	all, err := stored.PriorityLevels(ctx)
	levels := make(map[string]*flowcontrolv1.PriorityLevelConfiguration, len(all))
	for _, level := range all {
		levels[level.Name] = level
	}
	return levels, err
}

// PriorityLevel returns the findings about a level that has been written.
func (a *Advisor) PriorityLevel(ctx context.Context, level *flowcontrolv1.PriorityLevelConfiguration, stored Reader) []Finding {
	object := levelObject(level.Name)
	findings := ownership(object, level, a.defaults.level(level.Name) != nil, a.defaults.hasLevel(level))
	levels, err := levelsOf(ctx, stored)
	if err != nil {
		return append(findings, notRead(object, "PriorityLevelConfigurations"))
	}
	levels[level.Name] = level
	limits := limitsOf(levels, a.total)
	for _, f := range append(sharesDrop(levels, a.defaults, a.total), lending(sortedByName(levels), limits)...) {
		if f.concerns(map[Object]bool{object: true}) {
			findings = append(findings, f)
		}
	}
	findings = append(findings, levelFindings(level, limits, a.total)...)
	sortFindings(findings)
	return findings
}

// DeletedFlowSchema returns the findings about a FlowSchema that has been deleted.
func (a *Advisor) DeletedFlowSchema(name string) []Finding {
	if a.defaults.schema(name) == nil || isMandatorySchema(name) {
		return nil
	}
	return []Finding{deletedSuggestion(schemaObject(name))}
}

// DeletedPriorityLevel returns the findings about a level that has been deleted.
func (a *Advisor) DeletedPriorityLevel(ctx context.Context, name string, stored Reader) []Finding {
	if isMandatoryLevel(name) {
		return nil
	}
	if a.defaults.level(name) != nil {
		return []Finding{deletedSuggestion(levelObject(name))}
	}
	schemas, err := stored.FlowSchemas(ctx, AllUsers)
	if err != nil {
		return []Finding{notRead(levelObject(name), "FlowSchemas")}
	}
	findings := deletedInUse(name, schemasByLevel(flowSchemas(schemas))[name])
	for i := range findings {
		findings[i].Severity = Info // the deletion of the schemas may follow
	}
	return findings
}

// isMissing reports whether the level does not exist. It confirms a negative
// answer with the store, because the level may just have been created.
func isMissing(ctx context.Context, level string, stored Reader) bool {
	if isMandatoryLevel(level) {
		return false
	}
	if exists, err := stored.LevelExists(ctx, level); err == nil && exists {
		return false
	}
	absent, err := stored.LevelIsAbsent(ctx, level)
	return err == nil && absent
}

// levelLookup returns a function that reports whether a level exists and reads
// each level once.
func levelLookup(ctx context.Context, stored Reader) func(string) bool {
	known := map[string]bool{}
	return func(level string) bool {
		exists, found := known[level]
		if !found {
			inCache, err := stored.LevelExists(ctx, level)
			exists = isMandatoryLevel(level) || err == nil && inCache
			known[level] = exists
		}
		return exists
	}
}
