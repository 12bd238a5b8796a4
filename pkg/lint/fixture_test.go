package lint

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/serviceaccount"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// The values in schemas, and one request of each kind that such schemas
// distinguish. The requests include values that no schema contains.

func verbWords() []string      { return []string{"get", "list"} }
func apiGroupWords() []string  { return []string{"", "apps"} }
func resourceWords() []string  { return []string{"pods", "pods/status"} }
func namespaceWords() []string { return []string{"ns1", "ns2"} }
func groupWords() []string     { return []string{"devs", "ops"} }

func urlWords() []string {
	return []string{"/", "/*", "/healthz", "/healthz/*", "/healthz/etcd", "/apis/*"}
}

func pathWords() []string {
	return []string{"", "/", "/healthz", "/healthz/", "/healthz/etcd", "/healthz/etcd/other", "/healthz/other", "/apis", "/apis/other", "/other"}
}

const other = "other"

// universe returns a request for each combination of user and target.
func universe() []flow.Attributes {
	var requests []flow.Attributes
	for _, user := range users() {
		for _, verb := range append(verbWords(), other) {
			request := flow.Attributes{User: user.User, Groups: user.Groups, Verb: verb}
			for _, request.Path = range pathWords() {
				requests = append(requests, request)
			}
			request.IsResourceRequest, request.Path = true, ""
			for _, request.APIGroup = range append(apiGroupWords(), other) {
				for _, resource := range append(resourceWords(), other) {
					request.Resource, request.Subresource, _ = strings.Cut(resource, "/")
					for _, request.Namespace = range append(namespaceWords(), other, "") {
						requests = append(requests, request)
					}
				}
			}
		}
	}
	return requests
}

// users returns the users that can exist according to the package comment.
func users() []flow.Attributes {
	const in = "system:authenticated"
	found := []flow.Attributes{
		{User: "system:anonymous", Groups: []string{"system:unauthenticated"}},
		{User: "system:node:n1", Groups: []string{"system:nodes", in}},
		{User: "system:node:other", Groups: []string{"system:nodes", in}},
		{User: "system:node:n1", Groups: []string{"devs", "ops", in}},
	}
	for _, name := range []string{"alice", "bob", other} {
		for _, groups := range [][]string{{in}, {"devs", in}, {"ops", in}, {"devs", "ops", in}} {
			found = append(found, flow.Attributes{User: name, Groups: groups})
		}
	}
	for _, namespace := range append(namespaceWords(), other) {
		for _, name := range []string{"builder", other} {
			found = append(found, flow.Attributes{
				User:   serviceaccount.MakeUsername(namespace, name),
				Groups: append(serviceaccount.MakeGroupNames(namespace), in),
			})
		}
	}
	return found
}

func pick[T any](random *rand.Rand, words []T) T { return words[random.IntN(len(words))] }

// someOf returns a random list that passes validation.
func someOf(random *rand.Rand, words []string) []string {
	if random.IntN(2) == 0 {
		return []string{wildcard}
	}
	values := []string{pick(random, words)}
	if second := pick(random, words); second != values[0] && random.IntN(3) == 0 {
		values = append(values, second)
	}
	return values
}

func randomSchema(random *rand.Rand, name string) flowcontrolv1.FlowSchema {
	schema := flowcontrolv1.FlowSchema{}
	schema.Name = name
	schema.Spec.MatchingPrecedence = 2 + random.Int32N(4)
	schema.Spec.PriorityLevelConfiguration.Name = pick(random, []string{"present", "present", "present", "absent"})
	for range 1 + random.IntN(2) {
		var rule flowcontrolv1.PolicyRulesWithSubjects
		for range 1 + random.IntN(3) {
			rule.Subjects = append(rule.Subjects, randomSubject(random))
		}
		if random.IntN(4) > 0 {
			rule.ResourceRules = []flowcontrolv1.ResourcePolicyRule{{
				Verbs: someOf(random, verbWords()), APIGroups: someOf(random, apiGroupWords()), Resources: someOf(random, resourceWords()),
				ClusterScope: random.IntN(2) == 0, Namespaces: someOf(random, namespaceWords()),
			}}
			if rule.ResourceRules[0].ClusterScope && random.IntN(3) == 0 {
				rule.ResourceRules[0].Namespaces = nil
			}
		}
		if random.IntN(3) == 0 || rule.ResourceRules == nil {
			rule.NonResourceRules = []flowcontrolv1.NonResourcePolicyRule{{Verbs: someOf(random, verbWords()), NonResourceURLs: someOf(random, urlWords())}}
		}
		schema.Spec.Rules = append(schema.Spec.Rules, rule)
	}
	return schema
}

func randomSubject(random *rand.Rand) flowcontrolv1.Subject {
	switch random.IntN(4) {
	case 0:
		return aUser(pick(random, []string{"alice", "bob", wildcard, "system:anonymous", "system:node:n1", "system:serviceaccount:ns1:builder"}))
	case 1:
		return anAccount(pick(random, namespaceWords()), pick(random, []string{"builder", wildcard}))
	default:
		return aGroup(pick(random, append(groupWords(), wildcard, "system:authenticated", "system:authenticated", "system:unauthenticated",
			"system:serviceaccounts", "system:serviceaccounts:ns1", "system:nodes")))
	}
}

func randomSchemas(random *rand.Rand, n int) []flowcontrolv1.FlowSchema {
	schemas := make([]flowcontrolv1.FlowSchema, n)
	for i := range schemas {
		schemas[i] = randomSchema(random, fmt.Sprintf("s%03d", i))
	}
	return schemas
}

func aUser(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}
}

func aGroup(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: name}}
}

func anAccount(namespace, name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindServiceAccount, ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: namespace, Name: name}}
}

// classifier returns the engine's classifier for the schemas with an existing
// level.
func classifier(schemas ...flowcontrolv1.FlowSchema) *classify.Classifier {
	return classify.New(forClassifier(slices.DeleteFunc(pointers(schemas), func(schema *flowcontrolv1.FlowSchema) bool {
		return schema.Spec.PriorityLevelConfiguration.Name == "absent"
	})))
}
