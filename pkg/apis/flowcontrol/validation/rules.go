package validation

import (
	"slices"
	"strconv"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apimachineryvalidation "k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
)

// wildcard selects everything in each list of a rule. It must be the only element.
const wildcard = "*"

const wildcardNotAlone = "must contain only '*' when '*' is present"

func validatePolicyRules(rules *flowcontrol.PolicyRulesWithSubjects, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if len(rules.Subjects) == 0 {
		errs = append(errs, field.Required(path.Child("subjects"), "must contain at least one subject"))
	}
	errs = append(errs, boundedEach(rules.Subjects, path.Child("subjects"), validateSubject)...)

	if len(rules.ResourceRules) == 0 && len(rules.NonResourceRules) == 0 {
		errs = append(errs, field.Required(path, "must contain at least one of `resourceRules` and `nonResourceRules`"))
	}
	errs = append(errs, boundedEach(rules.ResourceRules, path.Child("resourceRules"), validateResourceRule)...)
	return append(errs, boundedEach(rules.NonResourceRules, path.Child("nonResourceRules"), validateNonResourceRule)...)
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
	return append(errs, boundedEach(rule.Namespaces, namespacesPath, validateNamespace)...)
}

func validateNamespace(namespace *string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, detail := range apimachineryvalidation.ValidateNamespaceName(*namespace, false) {
		errs = append(errs, field.Invalid(path, *namespace, "must be '*' or the name of a namespace: "+detail))
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
	return append(errs, boundedEach(rule.NonResourceURLs, urlsPath, func(url *string, path *field.Path) field.ErrorList {
		if detail := nonResourceURLError(*url); detail != "" {
			return field.ErrorList{field.Invalid(path, *url, detail)}
		}
		return nil
	})...)
}

// validateVerbs returns one error for all unknown verbs, with the path of the list.
func validateVerbs(verbs []string, path *field.Path) field.ErrorList {
	errs := validateWildcardList(verbs, path, "must contain at least one verb")
	if slices.Contains(verbs, wildcard) {
		return errs
	}
	known := []string{"create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"}
	var unknown []string
	for _, verb := range verbs {
		if !slices.Contains(known, verb) {
			unknown = append(unknown, strconv.Quote(verb))
		}
	}
	if len(unknown) > 0 {
		errs = append(errs, field.NotSupported(path, shown{verbs, strings.Join(unknown, ", ")}, known))
	}
	return errs
}

// validateWildcardList checks that a list is not empty and that a wildcard is its
// only element.
func validateWildcardList(list []string, path *field.Path, emptyDetail string) field.ErrorList {
	switch {
	case len(list) == 0:
		return field.ErrorList{field.Required(path, emptyDetail)}
	case len(list) > 1 && slices.Contains(list, wildcard):
		return field.ErrorList{field.Invalid(path, inJSON(list), wildcardNotAlone)}
	}
	return nil
}

// nonResourceURLError returns what is wrong with a path of a non-resource rule,
// empty if it is valid. White space other than a blank is valid, as in
// kube-apiserver.
func nonResourceURLError(url string) string {
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

func validateSubject(subject *flowcontrol.Subject, path *field.Path) field.ErrorList {
	userPath, groupPath, accountPath := path.Child("user"), path.Child("group"), path.Child("serviceAccount")
	switch subject.Kind {
	case flowcontrol.SubjectKindUser:
		errs := validateUser(subject.User, userPath)
		errs = append(errs, forbiddenMember(subject.Group, groupPath, "may only be specified when `kind` is 'Group'")...)
		return append(errs, forbiddenMember(subject.ServiceAccount, accountPath, "may only be specified when `kind` is 'ServiceAccount'")...)
	case flowcontrol.SubjectKindGroup:
		errs := validateGroup(subject.Group, groupPath)
		errs = append(errs, forbiddenMember(subject.User, userPath, "may only be specified when `kind` is 'User'")...)
		return append(errs, forbiddenMember(subject.ServiceAccount, accountPath, "may only be specified when `kind` is 'ServiceAccount'")...)
	case flowcontrol.SubjectKindServiceAccount:
		errs := validateServiceAccount(subject.ServiceAccount, accountPath)
		errs = append(errs, forbiddenMember(subject.User, userPath, "may only be specified when `kind` is 'User'")...)
		return append(errs, forbiddenMember(subject.Group, groupPath, "may only be specified when `kind` is 'Group'")...)
	}
	// The kind is unknown, so no member is wrong.
	return field.ErrorList{field.NotSupported(path.Child("kind"), subject.Kind, []flowcontrol.SubjectKind{
		flowcontrol.SubjectKindGroup,
		flowcontrol.SubjectKindServiceAccount,
		flowcontrol.SubjectKindUser,
	})}
}

func validateUser(user *flowcontrol.UserSubject, path *field.Path) field.ErrorList {
	switch {
	case user == nil:
		return field.ErrorList{field.Required(path, "must be specified when `kind` is 'User'")}
	case user.Name == "":
		return field.ErrorList{field.Required(path.Child("name"), "must be '*' or the name of a user")}
	}
	return nil
}

func validateGroup(group *flowcontrol.GroupSubject, path *field.Path) field.ErrorList {
	switch {
	case group == nil:
		return field.ErrorList{field.Required(path, "must be specified when `kind` is 'Group'")}
	case group.Name == "":
		return field.ErrorList{field.Required(path.Child("name"), "must be '*' or the name of a group")}
	}
	return nil
}

func validateServiceAccount(account *flowcontrol.ServiceAccountSubject, path *field.Path) field.ErrorList {
	if account == nil {
		return field.ErrorList{field.Required(path, "must be specified when `kind` is 'ServiceAccount'")}
	}
	var errs field.ErrorList
	switch account.Name {
	case "":
		errs = append(errs, field.Required(path.Child("name"), "must be '*' or the name of a service account"))
	case flowcontrolv1.NameAll:
	default:
		errs = append(errs, invalid(path.Child("name"), account.Name, apimachineryvalidation.ValidateServiceAccountName(account.Name, false))...)
	}
	if account.Namespace == "" {
		return append(errs, field.Required(path.Child("namespace"), "must be the namespace of the service account"))
	}
	return append(errs, invalid(path.Child("namespace"), account.Namespace, apimachineryvalidation.ValidateNamespaceName(account.Namespace, false))...)
}
