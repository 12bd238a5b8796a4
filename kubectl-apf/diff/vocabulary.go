package diff

import (
	"cmp"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

const (
	// other is a value that no valid rule names. It stands for all those.
	other = "\x00other"
	// shownOther is how it is shown.
	shownOther = "*"
)

// values numbers distinct values in the order of addition.
type values struct {
	list    []string
	numbers map[string]int
}

func newValues(first string) values {
	v := values{numbers: map[string]int{}}
	v.add(first)
	return v
}

func (v *values) add(value string) {
	if _, known := v.numbers[value]; !known {
		v.numbers[value] = len(v.list)
		v.list = append(v.list, value)
	}
}

func (v *values) addList(list []string) {
	if !rules.IsAll(list) {
		for _, value := range list {
			v.add(value)
		}
	}
}

// of returns the numbers of the values that a list of a rule gives: its own, or for
// the wildcard all.
func (v *values) of(list []string) []int {
	if rules.IsAll(list) {
		numbers := make([]int, len(v.list))
		for i := range numbers {
			numbers[i] = i
		}
		return numbers
	}
	numbers := make([]int, len(list))
	for i, value := range list {
		numbers[i] = v.numbers[value]
	}
	return numbers
}

// vocabulary is what rules name.
type vocabulary struct {
	verbs, groups, resources, namespaces, paths values
	// together has the pairs of API group and resource that one rule names.
	together map[[2]string]bool
}

func newVocabulary(all []*flowcontrolv1.PolicyRulesWithSubjects) *vocabulary {
	v := &vocabulary{
		verbs: newValues(other), groups: newValues(other), resources: newValues(other), namespaces: newValues(other),
		paths: newValues("/" + other), together: map[[2]string]bool{},
	}
	for _, rule := range all {
		v.addRule(rule)
	}
	return v
}

func (v *vocabulary) addRule(rule *flowcontrolv1.PolicyRulesWithSubjects) {
	for i := range rule.ResourceRules {
		r := &rule.ResourceRules[i]
		v.verbs.addList(r.Verbs)
		v.groups.addList(r.APIGroups)
		v.resources.addList(r.Resources)
		v.namespaces.addList(r.Namespaces)
		for _, group := range named(r.APIGroups) {
			for _, resource := range named(r.Resources) {
				v.together[[2]string{group, resource}] = true
			}
		}
	}
	for i := range rule.NonResourceRules {
		r := &rule.NonResourceRules[i]
		v.verbs.addList(r.Verbs)
		for _, url := range r.NonResourceURLs {
			for _, path := range pathsOf(url) {
				v.paths.add(path)
			}
		}
	}
}

// named returns the values of a list, and other for the wildcard.
func named(list []string) []string {
	if rules.IsAll(list) {
		return []string{other}
	}
	return list
}

// pathsOf returns the path of a URL in a rule, and one below it.
func pathsOf(url string) []string {
	if url == flowcontrolv1.NonResourceAll {
		return nil
	}
	path := strings.TrimSuffix(strings.TrimSuffix(url, flowcontrolv1.NonResourceAll), "/")
	return []string{cmp.Or(path, "/"), path + "/" + other}
}

// pathsCovered returns the numbers of the paths that the URLs cover.
func (v *vocabulary) pathsCovered(urls []string) []int {
	if rules.IsAll(urls) {
		return v.paths.of(urls)
	}
	var numbers []int
	for i, path := range v.paths.list {
		if slices.ContainsFunc(urls, func(url string) bool { return rules.CoversPath(url, path) }) {
			numbers = append(numbers, i)
		}
	}
	return numbers
}
