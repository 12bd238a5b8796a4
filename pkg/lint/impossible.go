package lint

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

// ruleFindings returns the findings that a schema's rules show by themselves, and
// beside the facts: FC102, FC105 to FC112 and FC114.
func ruleFindings(schema *flowcontrolv1.FlowSchema, facts *known) []Finding {
	object := schemaObject(schema.Name)
	if len(schema.Spec.Rules) == 0 {
		return []Finding{finding(NoRules, object, "spec.rules", "This FlowSchema has no rules, so no request matches it.", "Add a rule, or delete the FlowSchema.")}
	}
	r := ruleReader{object: object, schema: schema, facts: facts}
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		r.path = fmt.Sprintf("spec.rules[%d]", i)
		for k := range rule.Subjects {
			r.readSubject(&rule.Subjects[k], fmt.Sprintf("%s.subjects[%d]", r.path, k))
		}
		for k := range rule.ResourceRules {
			r.readResourceRule(rule, &rule.ResourceRules[k], fmt.Sprintf("%s.resourceRules[%d]", r.path, k))
		}
		for k := range rule.NonResourceRules {
			r.readNonResourceRule(&rule.NonResourceRules[k], fmt.Sprintf("%s.nonResourceRules[%d]", r.path, k))
		}
	}
	return r.findings
}

// ruleReader looks for values in the rules of a schema that no request has.
type ruleReader struct {
	object   Object
	schema   *flowcontrolv1.FlowSchema
	facts    *known
	path     string
	findings []Finding
}

func (r *ruleReader) add(code Code, field, message, remedy string) {
	r.findings = append(r.findings, finding(code, r.object, field, message, remedy))
}

func (r *ruleReader) readResourceRule(rule *flowcontrolv1.PolicyRulesWithSubjects, resources *flowcontrolv1.ResourcePolicyRule, path string) {
	for i, verb := range resources.Verbs {
		r.readVerb(verb, verbOfResources(verb), fmt.Sprintf("%s.verbs[%d]", path, i))
	}
	for i, group := range resources.APIGroups {
		r.readAPIGroup(group, fmt.Sprintf("%s.apiGroups[%d]", path, i))
	}
	for i, resource := range resources.Resources {
		r.readResource(resources.APIGroups, resource, fmt.Sprintf("%s.resources[%d]", path, i))
	}
	for i, namespace := range resources.Namespaces {
		if namespace != wildcard && !r.facts.hasNamespace(namespace) {
			r.add(UnknownNamespace, fmt.Sprintf("%s.namespaces[%d]", path, i),
				fmt.Sprintf("No namespace %q exists, so no request has it.", namespace), "Correct the name, or create the namespace.")
		}
	}
	if !r.readLongRunning(resources, path) {
		r.readScope(rule, resources, path)
	}
}

func (r *ruleReader) readNonResourceRule(rule *flowcontrolv1.NonResourcePolicyRule, path string) {
	for i, verb := range rule.Verbs {
		field := fmt.Sprintf("%s.verbs[%d]", path, i)
		if slices.Contains([]string{"head", "options", "post", "put"}, verb) {
			r.add(InvalidObject, field, fmt.Sprintf("The server rejects the verb %q of a non-resource rule, although requests have it.", verb), instead)
			continue
		}
		r.readVerb(verb, verbOfURLs(verb), field)
	}
	for i, url := range rule.NonResourceURLs {
		field := fmt.Sprintf("%s.nonResourceURLs[%d]", path, i)
		if problem, remedy := urlProblem(url); problem != "" {
			r.add(ImpossibleURL, field, problem, remedy)
		}
		r.readProfiles(url, field)
	}
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
func (r *ruleReader) readAPIGroup(group, field string) {
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
		r.add(ImpossibleAPIGroup, field, fmt.Sprintf("%q is no pattern: API groups match as a whole.", group), `List the API groups, or write "*" alone for all.`)
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

// readResource adds FC107 and FC112.
func (r *ruleReader) readResource(apiGroups []string, resource, field string) {
	if resource == wildcard {
		return
	}
	name, subresource, _ := strings.Cut(resource, "/")
	lower := strings.ToLower(resource)
	switch plural := r.facts.plurals[strings.ToLower(name)]; {
	case strings.Contains(resource, wildcard):
		r.add(ImpossibleResource, field, fmt.Sprintf("%q is no pattern: resources match as a whole.", resource), `List the resources and subresources, or write "*" alone for all.`)
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
	case !r.facts.serves(apiGroups, resource):
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
		return fmt.Sprintf("%q is no path: a path begins with a slash.", url), fmt.Sprintf("Write %q.", "/"+url)
	case strings.ContainsAny(url, "?#"):
		return fmt.Sprintf("%q has a query, and requests match by the path only.", url), "Write the path."
	case segments[0] == "api" && len(segments) > 2, segments[0] == "apis" && len(segments) > 3:
		return fmt.Sprintf("%q is the path of a resource, and requests for resources do not match non-resource rules.", url), "Write a resource rule."
	default:
		return "", ""
	}
}
