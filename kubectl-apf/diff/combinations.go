package diff

import (
	"cmp"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const (
	// other is a value that no valid rule names. It stands for all those.
	other = "\x00other"
	// shownOther is how it is shown.
	shownOther = "*"
)

// combination is a request without its user: of a resource or of a path.
type combination struct{ verb, group, resource, namespace, path string }

// attributes returns the request of a requester.
func (c combination) attributes(r *requester) flow.Attributes {
	a := flow.Attributes{User: r.user, Groups: r.groups, Verb: c.verb, Path: c.path}
	if c.path == "" {
		a.IsResourceRequest, a.APIGroup, a.Namespace = true, c.group, c.namespace
		a.Resource, a.Subresource, _ = strings.Cut(c.resource, "/")
	}
	return a
}

// vocabulary is what rules name. A wildcard stands for all of it.
type vocabulary struct {
	verbs, groups, resources, namespaces, paths []string
	// together has the pairs of API group and resource that one rule names.
	together map[[2]string]bool
}

// newVocabulary returns the values that rules name, and other.
func newVocabulary(all []*flowcontrolv1.PolicyRulesWithSubjects) *vocabulary {
	v := &vocabulary{
		verbs: []string{other}, groups: []string{other}, resources: []string{other}, namespaces: []string{other},
		paths: []string{"/" + other}, together: map[[2]string]bool{},
	}
	for _, rule := range all {
		v.addPaths(rule)
		for i := range rule.NonResourceRules {
			addTo(&v.verbs, rule.NonResourceRules[i].Verbs)
		}
		for i := range rule.ResourceRules {
			r := &rule.ResourceRules[i]
			addTo(&v.verbs, r.Verbs)
			addTo(&v.groups, r.APIGroups)
			addTo(&v.resources, r.Resources)
			addTo(&v.namespaces, r.Namespaces)
			for _, group := range expand(r.APIGroups, []string{other}) {
				for _, resource := range expand(r.Resources, []string{other}) {
					v.together[[2]string{group, resource}] = true
				}
			}
		}
	}
	v.verbs, v.groups, v.resources, v.namespaces = unique(v.verbs), unique(v.groups), unique(v.resources), unique(v.namespaces)
	return v
}

// addPaths adds the paths of the URLs in a rule, and one below each.
func (v *vocabulary) addPaths(rule *flowcontrolv1.PolicyRulesWithSubjects) {
	for i := range rule.NonResourceRules {
		for _, url := range rule.NonResourceRules[i].NonResourceURLs {
			if url != flowcontrolv1.NonResourceAll {
				path := strings.TrimSuffix(strings.TrimSuffix(url, flowcontrolv1.NonResourceAll), "/")
				v.paths = append(v.paths, cmp.Or(path, "/"), path+"/"+other)
			}
		}
	}
	v.paths = unique(v.paths)
}

func addTo(values *[]string, list []string) {
	if !rules.IsAll(list) {
		*values = append(*values, list...)
	}
}

// unique returns each value once, sorted.
func unique(values []string) []string {
	slices.Sort(values)
	return slices.Compact(values)
}

// expand returns the values that a list of a rule gives: its own, or for the wildcard all.
func expand(list, all []string) []string {
	if rules.IsAll(list) {
		return all
	}
	return list
}

// forEach calls yield with each combination of the values in a rule, until it returns false. It
// reports whether it never did.
func (v *vocabulary) forEach(rule *flowcontrolv1.PolicyRulesWithSubjects, yield func(combination) bool) bool {
	for i := range rule.ResourceRules {
		if !v.forEachResource(&rule.ResourceRules[i], yield) {
			return false
		}
	}
	for i := range rule.NonResourceRules {
		r := &rule.NonResourceRules[i]
		for _, path := range v.paths {
			if !slices.ContainsFunc(r.NonResourceURLs, func(url string) bool { return rules.CoversPath(url, path) }) {
				continue
			}
			for _, verb := range expand(r.Verbs, v.verbs) {
				if !yield(combination{verb: verb, path: path}) {
					return false
				}
			}
		}
	}
	return true
}

func (v *vocabulary) forEachResource(r *flowcontrolv1.ResourcePolicyRule, yield func(combination) bool) bool {
	namespaces := slices.Clone(expand(r.Namespaces, v.namespaces))
	if r.ClusterScope {
		namespaces = append(namespaces, "")
	}
	groups, resources := expand(r.APIGroups, v.groups), expand(r.Resources, v.resources)
	for _, verb := range expand(r.Verbs, v.verbs) {
		for _, group := range groups {
			for _, resource := range resources {
				for _, namespace := range namespaces {
					if !yield(combination{verb, group, resource, namespace, ""}) {
						return false
					}
				}
			}
		}
	}
	return true
}
