package diff

import (
	"maps"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// maxCombinations bounds the combinations that are classified.
const maxCombinations = 1 << 20

// versions are a schema before and after; nil where it is not enforced.
type versions struct {
	before, after *flowcontrolv1.FlowSchema
}

// changing returns the schemas that requests can move to or from, by name.
func (c *Comparison) changing() []versions {
	var all []versions
	for _, name := range c.schemaNames() {
		v := versions{enforced(c.before, name), enforced(c.after, name)}
		if v.before == nil && v.after == nil {
			continue
		}
		if v.before == nil || v.after == nil || !equality.Semantic.DeepEqual(&v.before.Spec, &v.after.Spec) {
			all = append(all, v)
		}
	}
	return all
}

// schemaNames returns the names of the schemas of both sides, sorted.
func (c *Comparison) schemaNames() []string {
	names := maps.Clone(c.before.schemas)
	maps.Copy(names, c.after.schemas)
	return slices.Sorted(maps.Keys(names))
}

// enforced returns a schema; nil if it does not exist or its level does not.
func enforced(s *side, name string) *flowcontrolv1.FlowSchema {
	if schema := s.schemas[name]; schema != nil && s.enforces(schema) {
		return schema
	}
	return nil
}

// combination has the numbers of a requester and of the values of a request. The last
// three are -1 for a path, which is in group.
type combination [5]int

// search classifies the combinations of rules on both sides.
type search struct {
	before, after *side
	vocabulary    *vocabulary
	moves         moves
	// seen are the combinations that move, so that those of several rules count once.
	seen map[combination]bool
	// checked is the number of classifications, repetitions included, at most limit.
	checked, limit int
}

func newSearch(before, after *side, limit int) *search {
	var schemas []*flowcontrolv1.FlowSchema
	for _, s := range []*side{before, after} {
		for _, name := range slices.Sorted(maps.Keys(s.schemas)) {
			if s.enforces(s.schemas[name]) {
				schemas = append(schemas, s.schemas[name])
			}
		}
	}
	return &search{before: before, after: after, limit: limit, vocabulary: newVocabulary(schemas), seen: map[combination]bool{}}
}

// run classifies the combinations of the schemas, and returns false if there are too
// many.
func (s *search) run(changing []versions) bool {
	defer func() { s.moves.checked = s.checked }()
	for _, v := range changing {
		for _, schema := range []*flowcontrolv1.FlowSchema{v.before, v.after} {
			if schema == nil {
				continue
			}
			for i := range schema.Spec.Rules {
				if !s.runRule(&schema.Spec.Rules[i]) {
					return false
				}
			}
		}
	}
	return true
}

func (s *search) runRule(rule *flowcontrolv1.PolicyRulesWithSubjects) bool {
	v := s.vocabulary
	for who := range v.requesters {
		if !slices.ContainsFunc(rule.Subjects, func(subject flowcontrolv1.Subject) bool { return matches(&subject, &v.requesters[who]) }) {
			continue
		}
		for i := range rule.ResourceRules {
			if !s.runResources(who, &rule.ResourceRules[i]) {
				return false
			}
		}
		for i := range rule.NonResourceRules {
			r := &rule.NonResourceRules[i]
			paths := v.pathsCovered(r.NonResourceURLs)
			for _, verb := range v.verbs.of(r.Verbs) {
				for _, path := range paths {
					if !s.try(combination{who, verb, path, -1, -1}) {
						return false
					}
				}
			}
		}
	}
	return true
}

func (s *search) runResources(who int, rule *flowcontrolv1.ResourcePolicyRule) bool {
	v := s.vocabulary
	namespaces := v.namespaces.of(rule.Namespaces)
	if rule.ClusterScope {
		namespaces = append(namespaces, len(v.namespaces.list)) // no namespace
	}
	resources := v.resources.of(rule.Resources)
	for _, verb := range v.verbs.of(rule.Verbs) {
		for _, group := range v.groups.of(rule.APIGroups) {
			for _, resource := range resources {
				for _, namespace := range namespaces {
					if !s.try(combination{who, verb, group, resource, namespace}) {
						return false
					}
				}
			}
		}
	}
	return true
}

// try classifies a combination, and returns false if there are too many.
func (s *search) try(c combination) bool {
	if s.checked == s.limit {
		return false
	}
	s.checked++
	a := s.attributes(c)
	r := route{s.before.classify(&a), s.after.classify(&a)}
	if r.from != r.to && !s.seen[c] {
		s.seen[c] = true
		s.moves.add(r, s.kindOf(c, &a))
	}
	return true
}

func (s *search) attributes(c combination) flow.Attributes {
	v := s.vocabulary
	who := &v.requesters[c[0]]
	a := flow.Attributes{User: who.user, Groups: who.groups, Verb: v.verbs.list[c[1]]}
	if c[3] < 0 {
		a.Path = v.paths.list[c[2]]
		return a
	}
	a.IsResourceRequest, a.APIGroup = true, v.groups.list[c[2]]
	a.Resource, a.Subresource, _ = strings.Cut(v.resources.list[c[3]], "/")
	if c[4] < len(v.namespaces.list) {
		a.Namespace = v.namespaces.list[c[4]]
	}
	return a
}

// kindOf returns what is shown of a combination.
func (s *search) kindOf(c combination, a *flow.Attributes) kind {
	k := kind{
		user: s.vocabulary.requesters[c[0]].label, verb: shown(a.Verb),
		resource: shown(resourceOf(a)), namespace: shown(a.Namespace),
	}
	if a.IsResourceRequest {
		v := s.vocabulary
		k.unlikely = !v.together[[2]string{a.APIGroup, v.resources.list[c[3]]}]
	}
	return k
}

// shown returns how a value is shown.
func shown(value string) string { return strings.ReplaceAll(value, other, shownOther) }
