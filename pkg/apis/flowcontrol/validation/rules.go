package validation

import (
	"slices"
	"strings"

	apimachineryvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// wildcard stands for every member wherever a rule lists something. It says
// everything, so that it has to be alone.
const wildcard = "*"

const wildcardNotAlone = "must contain only '*' when '*' is present"

func validatePolicyRules(rules *flowcontrol.PolicyRulesWithSubjects, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(rules.Subjects) == 0 {
		errs = append(errs, field.Required(path.Child("subjects"), "must contain at least one subject"))
	}
	for i := range rules.Subjects {
		errs = append(errs, validateSubject(&rules.Subjects[i], path.Child("subjects").Index(i))...)
	}

	if len(rules.ResourceRules) == 0 && len(rules.NonResourceRules) == 0 {
		errs = append(errs, field.Required(path, "must contain at least one of `resourceRules` and `nonResourceRules`"))
	}
	for i := range rules.ResourceRules {
		errs = append(errs, validateResourceRule(&rules.ResourceRules[i], path.Child("resourceRules").Index(i))...)
	}
	for i := range rules.NonResourceRules {
		errs = append(errs, validateNonResourceRule(&rules.NonResourceRules[i], path.Child("nonResourceRules").Index(i))...)
	}
	return errs
}

func validateResourceRule(rule *flowcontrol.ResourcePolicyRule, path *field.Path) field.ErrorList {
	errs := validateVerbs(rule.Verbs, path.Child("verbs"))
	errs = append(errs, validateWildcardList(rule.APIGroups, path.Child("apiGroups"), "must contain at least one API group")...)
	errs = append(errs, validateWildcardList(rule.Resources, path.Child("resources"), "must contain at least one resource")...)

	namespacesPath := path.Child("namespaces")
	if rule.ClusterScope && len(rule.Namespaces) == 0 {
		return errs
	}
	errs = append(errs, validateWildcardList(rule.Namespaces, namespacesPath, "must contain at least one namespace when `clusterScope` is false")...)
	if slices.Contains(rule.Namespaces, wildcard) {
		return errs
	}
	for i, namespace := range rule.Namespaces {
		for _, fault := range apimachineryvalidation.ValidateNamespaceName(namespace, false) {
			errs = append(errs, field.Invalid(namespacesPath.Index(i), namespace, "must be '*' or the name of a namespace: "+fault))
		}
	}
	return errs
}

func validateNonResourceRule(rule *flowcontrol.NonResourcePolicyRule, path *field.Path) field.ErrorList {
	errs := validateVerbs(rule.Verbs, path.Child("verbs"))
	urlsPath := path.Child("nonResourceURLs")
	errs = append(errs, validateWildcardList(rule.NonResourceURLs, urlsPath, "must contain at least one path")...)
	if slices.Contains(rule.NonResourceURLs, wildcard) {
		return errs
	}
	for i, url := range rule.NonResourceURLs {
		if fault := nonResourceURLFault(url); fault != "" {
			errs = append(errs, field.Invalid(urlsPath.Index(i), url, fault))
		}
	}
	return errs
}

// validateVerbs reports verbs that no request has under the list's own path,
// once for the whole list.
func validateVerbs(verbs []string, path *field.Path) field.ErrorList {
	errs := validateWildcardList(verbs, path, "must contain at least one verb")
	if slices.Contains(verbs, wildcard) {
		return errs
	}
	known := []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}
	isUnknown := func(verb string) bool { return !slices.Contains(known, verb) }
	if slices.ContainsFunc(verbs, isUnknown) {
		errs = append(errs, field.NotSupported(path, verbs, known))
	}
	return errs
}

// validateWildcardList checks that list is not empty, and that a wildcard in it
// is alone.
func validateWildcardList(list []string, path *field.Path, emptyFault string) field.ErrorList {
	switch {
	case len(list) == 0:
		return field.ErrorList{field.Required(path, emptyFault)}
	case len(list) > 1 && slices.Contains(list, wildcard):
		return field.ErrorList{field.Invalid(path, list, wildcardNotAlone)}
	}
	return nil
}

// nonResourceURLFault says what is wrong with a path of a non-resource rule,
// and nothing if it can be matched. White space other than a blank is let pass,
// as kube-apiserver does.
func nonResourceURLFault(url string) string {
	stem, isPrefix := strings.CutSuffix(url, "/*")
	switch {
	case url == "":
		return "must not be empty"
	case !strings.HasPrefix(url, "/"):
		return "must be '*' or start with '/'"
	case strings.Contains(url, " "):
		return "must not contain a blank"
	case strings.Contains(url, "//"):
		return "must not contain '//'"
	case strings.Contains(stem, wildcard):
		if isPrefix {
			return "must contain at most one '*', at the end"
		}
		return "must contain '*' only in '/*' at the end"
	}
	return ""
}
