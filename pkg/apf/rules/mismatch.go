package rules

import (
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// Part is a part of a rule that a request must match.
type Part string

// The parts of a rule, in the order of their comparison with a request.
const (
	// Subjects are the subjects of a rule.
	Subjects Part = "subjects"
	// PolicyRules are the resource rules of a rule for a resource request, and its
	// non-resource rules for any other request. They do not match if there are none.
	PolicyRules Part = "policyRules"
	// Verbs are the verbs of a resource rule or of a non-resource rule.
	Verbs Part = "verbs"
	// APIGroups are the API groups of a resource rule.
	APIGroups Part = "apiGroups"
	// Resources are the resources of a resource rule.
	Resources Part = "resources"
	// ClusterScope is the cluster scope of a resource rule. Only a request without a
	// namespace is compared with it.
	ClusterScope Part = "clusterScope"
	// Namespaces are the namespaces of a resource rule. Only a request with a
	// namespace is compared with them.
	Namespaces Part = "namespaces"
	// URLs are the URLs of a non-resource rule.
	URLs Part = "nonResourceURLs"
)

// Mismatch is why a schema does not match a request. It is empty for a schema without
// rules.
type Mismatch []RuleMismatch

// RuleMismatch is the first part of a rule that does not match a request.
type RuleMismatch struct {
	// Rule is the index of the rule in the schema.
	Rule int
	// Policy is the index of its resource rule or non-resource rule; -1 if Part is
	// Subjects or PolicyRules.
	Policy int
	Part   Part
	// Want are the values of the rule that the request was compared with. It is nil
	// for Subjects, PolicyRules and ClusterScope.
	Want []string
	// Got is the value of the request; empty for Subjects, PolicyRules and
	// ClusterScope.
	Got string
}

// Place is where a schema matches a request.
type Place struct {
	// Rule is the index of the rule in the schema, Subject the index of its subject, Policy the
	// index of its resource rule or, for a non-resource request, of its non-resource rule.
	Rule, Subject, Policy int
}

// Mismatch reports whether the schema does not match the request, and why. For each
// rule it returns the first part that does not match: one entry if no subject matches,
// otherwise one entry for each resource rule or non-resource rule. It compares the
// rules one at a time, without an index.
func (s *Schema) Mismatch(a *flow.Attributes) (Mismatch, bool) {
	mismatch, _, matches := s.compare(a)
	if matches {
		return nil, false
	}
	return mismatch, true
}

// Match returns the first place where the schema matches the request, and whether
// there is one. It compares the rules as Mismatch does.
func (s *Schema) Match(a *flow.Attributes) (Place, bool) {
	_, place, matches := s.compare(a)
	return place, matches
}

func (s *Schema) compare(a *flow.Attributes) (Mismatch, Place, bool) {
	var mismatch Mismatch
	for i := range s.Rules {
		rule := &s.Rules[i]
		subject := slices.IndexFunc(rule.Subjects, func(s Subject) bool { return s.Matches(a) })
		if subject < 0 {
			mismatch = append(mismatch, RuleMismatch{Rule: i, Policy: -1, Part: Subjects})
			continue
		}
		policies := rule.policies(a)
		if len(policies) == 0 {
			mismatch = append(mismatch, RuleMismatch{Rule: i, Policy: -1, Part: PolicyRules})
		}
		for j, parts := range policies {
			k := slices.IndexFunc(parts, func(p comparison) bool { return !p.matches })
			if k < 0 {
				return nil, Place{Rule: i, Subject: subject, Policy: j}, true
			}
			mismatch = append(mismatch, RuleMismatch{Rule: i, Policy: j, Part: parts[k].part, Want: parts[k].want, Got: parts[k].got})
		}
	}
	return mismatch, Place{}, false
}

// Matches reports whether the request is sent by the subject.
func (s *Subject) Matches(a *flow.Attributes) bool {
	switch s.Kind {
	case User:
		return s.Name == All || s.Name == a.User
	case Group:
		return s.Name == All || slices.Contains(a.Groups, s.Name)
	case ServiceAccount:
		name, found := strings.CutPrefix(a.User, ServiceAccountPrefix+s.Namespace+":")
		return found && (s.Name == All || s.Name == name)
	default:
		return false
	}
}

// comparison is a part of a rule, compared with a request.
type comparison struct {
	part    Part
	want    []string
	got     string
	matches bool
}

// policies returns the comparisons of the request with each resource rule or, if it is
// a non-resource request, with each non-resource rule.
func (r *Rule) policies(a *flow.Attributes) [][]comparison {
	var policies [][]comparison
	if a.IsResourceRequest {
		for i := range r.ResourceRules {
			policies = append(policies, r.ResourceRules[i].parts(a))
		}
		return policies
	}
	for i := range r.NonResourceRules {
		one := &r.NonResourceRules[i]
		policies = append(policies, []comparison{
			compareList(Verbs, one.Verbs, a.Verb),
			{part: URLs, want: one.URLs, got: a.Path, matches: slices.ContainsFunc(one.URLs, func(url string) bool { return CoversPath(url, a.Path) })},
		})
	}
	return policies
}

func (r *ResourceRule) parts(a *flow.Attributes) []comparison {
	resource := a.Resource
	if a.Subresource != "" {
		resource += "/" + a.Subresource
	}
	parts := []comparison{
		compareList(Verbs, r.Verbs, a.Verb),
		compareList(APIGroups, r.APIGroups, a.APIGroup),
		compareList(Resources, r.Resources, resource),
	}
	if a.Namespace == "" {
		return append(parts, comparison{part: ClusterScope, matches: r.ClusterScope})
	}
	return append(parts, compareList(Namespaces, r.Namespaces, a.Namespace))
}

// compareList compares a value with a list. All is the wildcard there only if it is alone.
func compareList(part Part, list []string, value string) comparison {
	return comparison{part: part, want: list, got: value, matches: Covers(list, value)}
}
