package lint

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/box"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/internal/budget"
)

// ruleFindings returns the findings that a schema's rules show by themselves, and
// from the facts: FC102, FC105 to FC112 and FC114.
func ruleFindings(schema *Compared, facts *known, within *budget.Budget) []Finding {
	object := schemaObject(schema.Name)
	if len(schema.Spec.Rules) == 0 {
		return []Finding{finding(NoRules, object, "spec.rules", "This FlowSchema has no rules, so no request matches it.", "Add a rule, or delete the FlowSchema.")}
	}
	r := ruleReader{object: object, facts: facts, within: within}
	r.inCluster.Add(0, box.WithoutNamespace(schema.boxes()))
	each(&r, "spec.rules", schema.Spec.Rules, r.readRule)
	return r.findings
}

// ruleReader looks for values in the rules of a schema that no request has.
type ruleReader struct {
	object Object
	facts  *known
	within *budget.Budget
	// inCluster are the requests without a namespace that the schema matches.
	inCluster box.Index
	findings  []Finding
}

func (r *ruleReader) add(code Code, field, message, remedy string) {
	r.addFinding(finding(code, r.object, field, message, remedy))
}

func (r *ruleReader) addFinding(f Finding) {
	r.within.Spend(stepsOfFinding)
	r.findings = append(r.findings, f)
}

// each reads the elements of a list until the budget is spent.
func each[T any](r *ruleReader, path string, list []T, read func(element *T, path string)) {
	for i := range list {
		if !r.within.Spend(1) {
			return
		}
		read(&list[i], fmt.Sprintf("%s[%d]", path, i))
	}
}

func (r *ruleReader) readRule(rule *flowcontrolv1.PolicyRulesWithSubjects, path string) {
	each(r, path+".subjects", rule.Subjects, r.readSubject)
	users := box.NewUsers(usersOfAll(rule.Subjects))
	each(r, path+".resourceRules", rule.ResourceRules, func(resources *flowcontrolv1.ResourcePolicyRule, path string) {
		r.readResourceRule(users, resources, path)
	})
	each(r, path+".nonResourceRules", rule.NonResourceRules, r.readNonResourceRule)
}

func (r *ruleReader) readResourceRule(users *box.Users, resources *flowcontrolv1.ResourcePolicyRule, path string) {
	each(r, path+".verbs", resources.Verbs, func(verb *string, field string) { r.readVerb(*verb, verbOfResources(*verb), field) })
	each(r, path+".apiGroups", resources.APIGroups, r.readAPIGroup)
	served := r.facts.servedIn(resources.APIGroups)
	each(r, path+".resources", resources.Resources, func(resource *string, field string) { r.readResource(*resource, served, field) })
	each(r, path+".namespaces", resources.Namespaces, r.readNamespace)
	if !r.readLongRunning(resources, path) {
		r.readScope(users, resources, path)
	}
}

func (r *ruleReader) readNamespace(namespace *string, field string) {
	if *namespace != wildcard && !r.facts.hasNamespace(*namespace) {
		r.add(UnknownNamespace, field, fmt.Sprintf("No namespace %q exists, so no request has it.", *namespace), "Correct the name, or create the namespace.")
	}
}

func (r *ruleReader) readNonResourceRule(rule *flowcontrolv1.NonResourcePolicyRule, path string) {
	each(r, path+".verbs", rule.Verbs, func(verb *string, field string) {
		if slices.Contains([]string{"head", "options", "post", "put"}, *verb) {
			r.add(InvalidObject, field, fmt.Sprintf("The server rejects the verb %q of a non-resource rule, although requests have it.", *verb), instead)
			return
		}
		r.readVerb(*verb, verbOfURLs(*verb), field)
	})
	each(r, path+".nonResourceURLs", rule.NonResourceURLs, func(url *string, field string) {
		if problem, remedy := urlProblem(*url); problem != "" {
			r.add(ImpossibleURL, field, problem, remedy)
		}
		r.readProfiles(*url, field)
	})
}

// readVerb adds FC108. right is the remedy, empty if requests have the verb.
func (r *ruleReader) readVerb(verb, right, field string) {
	if right != "" {
		r.add(ImpossibleVerb, field, fmt.Sprintf("No request of this kind has the verb %q.", verb), right)
	}
}

// verbOfResources returns what to write instead of a verb that no resource request
// has, or an empty string.
func verbOfResources(verb string) string {
	known := []string{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection", "proxy", wildcard}
	if slices.Contains(known, verb) {
		return ""
	}
	lower := strings.ToLower(verb)
	instead := map[string]string{"post": "create", "put": "update", "read": `get", "list" and "watch`, "write": `create", "update", "patch" and "delete`, "edit": `update" and "patch`, "remove": "delete"}
	switch {
	case instead[lower] != "":
		return fmt.Sprintf("Write %q.", instead[lower])
	case slices.Contains(known, lower):
		return fmt.Sprintf("Write %q: verbs are in lower case.", lower)
	default:
		return "Use get, list, watch, create, update, patch, delete or deletecollection."
	}
}

// instead is what to write for a method that the API accepts in no non-resource rule.
const instead = `Write "*": the API accepts "get", "patch", "delete" and "*" there.`

// verbOfURLs returns what to write instead of a verb that no non-resource request has,
// or an empty string. Their verb is the HTTP method in lower case.
func verbOfURLs(verb string) string {
	accepted := []string{"get", "patch", "delete", wildcard}
	switch lower := strings.ToLower(verb); {
	case slices.Contains(accepted, verb):
		return ""
	case slices.Contains(accepted, lower):
		return fmt.Sprintf("Write %q: verbs are in lower case.", lower)
	default:
		return instead
	}
}

// readAPIGroup adds FC106 and FC112.
func (r *ruleReader) readAPIGroup(apiGroup *string, field string) {
	group := *apiGroup
	if group == wildcard {
		return
	}
	name, _, hasVersion := strings.Cut(group, "/")
	switch {
	case hasVersion && !isVersion(name):
		r.add(ImpossibleAPIGroup, field, fmt.Sprintf("%q is an API group with a version, and requests match by the group only.", group), fmt.Sprintf("Write %q.", strings.ToLower(name)))
	case isVersion(name) || group == "core" || group == "api":
		r.add(ImpossibleAPIGroup, field, fmt.Sprintf("No API group is called %q.", group), `Write "" for the core group, which has pods, services and so on.`)
	case strings.Contains(group, wildcard):
		r.add(ImpossibleAPIGroup, field, fmt.Sprintf("%q is not a pattern: API groups match as a whole.", group), `List the API groups, or write "*" alone for all.`)
	case group != strings.ToLower(group):
		r.add(ImpossibleAPIGroup, field, fmt.Sprintf("No API group is called %q: they are in lower case.", group), fmt.Sprintf("Write %q.", strings.ToLower(group)))
	case r.facts.apiGroups != nil && !r.facts.apiGroups.Has(group):
		r.add(UnknownResource, field, fmt.Sprintf("The cluster serves no API group %q.", group), "Correct the name, unless the API is installed later.")
	}
}

// isVersion reports whether the name is a version, such as v1beta1.
func isVersion(name string) bool {
	return len(name) > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9' && !strings.Contains(name, ".")
}

// readResource adds FC107 and FC112. serves reports whether one of the API groups of the rule has
// a resource.
func (r *ruleReader) readResource(resource string, serves func(resource string) bool, field string) {
	if resource == wildcard {
		return
	}
	name, subresource, _ := strings.Cut(resource, "/")
	lower := strings.ToLower(resource)
	switch plural := r.facts.plurals[strings.ToLower(name)]; {
	case strings.Contains(resource, wildcard):
		r.add(ImpossibleResource, field, fmt.Sprintf("%q is not a pattern: resources match as a whole.", resource), `List the resources and subresources, or write "*" alone for all.`)
	case plural != "":
		right := plural
		if subresource != "" {
			right += "/" + strings.ToLower(subresource)
		}
		r.add(ImpossibleResource, field, fmt.Sprintf("%q is not the name of a resource: names are plurals.", resource), fmt.Sprintf("Write %q.", right))
	case resource != lower:
		r.add(ImpossibleResource, field, fmt.Sprintf("No resource is called %q: resources are plurals in lower case, kinds are not.", resource),
			fmt.Sprintf("Write the plural in lower case, as kubectl api-resources shows it for %q.", resource))
	case strings.Contains(name, "."):
		r.add(ImpossibleResource, field, fmt.Sprintf("%q has an API group, and resources match without it.", resource), "Write the API group in apiGroups.")
	case resource == "" || strings.Count(resource, "/") > 1 || strings.HasPrefix(resource, "/") || strings.HasSuffix(resource, "/"):
		r.add(ImpossibleResource, field, fmt.Sprintf("%q is not the name of a resource.", resource), "Write RESOURCE or RESOURCE/SUBRESOURCE.")
	case !serves(resource):
		r.add(UnknownResource, field, fmt.Sprintf("The cluster serves no resource %q in these API groups.", resource), "Correct the name or the API group, unless the API is installed later.")
	}
}

// urlProblem returns why no non-resource request has the URL, and what to do; empty if
// one may have it.
func urlProblem(url string) (problem, remedy string) {
	segments := strings.Split(strings.Trim(strings.TrimSuffix(url, "/*"), "/"), "/")
	switch {
	case url == wildcard:
		return "", ""
	case strings.Contains(url, "://"):
		return fmt.Sprintf("%q is a whole URL, and requests match by the path only.", url), "Write the path."
	case !strings.HasPrefix(url, "/"):
		return fmt.Sprintf("%q is not a path: a path begins with a slash.", url), fmt.Sprintf("Write %q.", "/"+url)
	case strings.ContainsAny(url, "?#"):
		return fmt.Sprintf("%q has a query, and requests match by the path only.", url), "Write the path."
	case segments[0] == "api" && len(segments) > 2, segments[0] == "apis" && len(segments) > 3:
		return fmt.Sprintf("%q is the path of a resource, and requests for resources do not match non-resource rules.", url), "Write a resource rule."
	default:
		return "", ""
	}
}
