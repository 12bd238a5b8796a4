package api

import (
	"slices"
	"strings"
)

const (
	authenticationPath = "/apis/authentication.k8s.io/v1"
	authorizationPath  = "/apis/authorization.k8s.io/v1"
)

// reviewCases are the cases of self-reviews that no script has: each answer is compared in part.
func reviewCases() []testCase {
	return []testCase{
		{name: "who I am", v1Only: true, steps: whoSteps()},
		{
			name: "what I may do", v1Only: true,
			steps: []step{
				post(authorizationPath+"/selfsubjectrulesreviews", review("SelfSubjectRulesReview", `{"namespace":"default"}`)).
					only(everything).saying(`"incomplete":false`),
				post(authorizationPath+"/selfsubjectrulesreviews", review("SelfSubjectRulesReview", `{}`)).gives(400).saying("no namespace on request"),
				post(authorizationPath+"/selfsubjectrulesreviews?dryRun=All", review("SelfSubjectRulesReview", `{"namespace":"default"}`)).only(everything),
			},
		},
		{
			name: "in discovery and OpenAPI", v1Only: true,
			steps: []step{
				get(authenticationPath).only(resourcesNamed("name", "self")), get(authorizationPath).only(resourcesNamed("name", "self")),
				get("/openapi/v3" + authenticationPath).only(schemasOf("io.k8s.api.authentication.v1.SelfSubject")),
				get("/openapi/v3" + authorizationPath).only(schemasOf("io.k8s.api.authorization.v1.SelfSubject")),
				get(strings.TrimSuffix(authenticationPath, "/v1")).only(withoutAddresses), get(strings.TrimSuffix(authorizationPath, "/v1")).only(withoutAddresses),
				get("/apis").with("Accept", aggregatedType).only(selfReviewGroups("items", "metadata.name")).saying("selfsubjectaccessreviews"),
				get("/apis").only(selfReviewGroups("groups", "name")),
			},
		},
	}
}

func review(kind, spec string) string {
	return `{"apiVersion":"authorization.k8s.io/v1","kind":"` + kind + `","spec":` + spec + `}`
}

func whoSteps() []step {
	const path, body = authenticationPath + "/selfsubjectreviews", `{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}`
	const table = "application/json;as=Table;g=meta.k8s.io;v=v1"
	return []step{
		post(path, body).only(groupsOnly).saying(`"groups":["system:masters","system:authenticated"]`),
		post(path+"?dryRun=All", body).only(groupsOnly),
		post(path, "{}").only(groupsOnly),
		post(path+"?fieldValidation=Strict", strings.Replace(body, "}", `,"spec":{}}`, 1)).gives(400),
		post(path, body).with("Accept", table+",application/json").only(groupsOnly), post(path, body).with("Accept", table).gives(406),
		post(path, body).with("Accept", "text/html").gives(406), post(path, "<x/>").with("Content-Type", "application/xml").gives(415),
	}
}

// groupsOnly leaves out the name, the UID and the credential, which are each server's.
func groupsOnly(answer any) any {
	if info, ok := at(answer, "status.userInfo").(map[string]any); ok {
		delete(info, "uid")
		delete(info, "extra")
		delete(info, "username")
	}
	return answer
}

// everything leaves out rules beside system:masters': both servers have some of their own.
func everything(answer any) any {
	status, _ := at(answer, "status").(map[string]any)
	for _, list := range []string{"resourceRules", "nonResourceRules"} {
		rules, _ := status[list].([]any)
		status[list] = slices.DeleteFunc(rules, func(rule any) bool {
			verbs, _ := at(rule, "verbs").([]any)
			return !slices.Contains(verbs, any("*"))
		})
	}
	return answer
}

// resourcesNamed selects the resources of a version whose names, in a field, have a prefix.
func resourcesNamed(field, prefix string) func(any) any {
	return func(version any) any {
		resources, _ := at(version, "resources").([]any)
		return slices.DeleteFunc(resources, func(resource any) bool {
			name, _ := at(resource, field).(string)
			return !strings.HasPrefix(name, prefix)
		})
	}
}

// withoutAddresses leaves out of a group what kube-apiserver's aggregator does not publish.
func withoutAddresses(group any) any {
	fields, _ := group.(map[string]any)
	delete(fields, "serverAddressByClientCIDRs")
	return fields
}

// selfReviewGroups selects the groups of the self-reviews from a list of groups, without
// their other resources.
func selfReviewGroups(list, name string) func(any) any {
	return func(whole any) any {
		groups, _ := at(whole, list).([]any)
		groups = slices.DeleteFunc(groups, func(group any) bool {
			return at(group, name) != "authentication.k8s.io" && at(group, name) != "authorization.k8s.io"
		})
		for _, group := range groups {
			versions, _ := at(withoutAddresses(group), "versions").([]any)
			for _, version := range versions {
				if fields, _ := version.(map[string]any); fields["resources"] != nil {
					fields["resources"] = resourcesNamed("resource", "self")(version)
				}
			}
		}
		return groups
	}
}
