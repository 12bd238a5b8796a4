// Package requests generates requests of all kinds, and flow schemas that tell them
// apart, for tests that compare what decides about a request. The same source of random
// numbers gives the same requests and flow schemas.
package requests

import (
	"fmt"
	"math/rand/v2"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
)

func pick(random *rand.Rand, words ...string) string { return words[random.IntN(len(words))] }

// Line returns a request of some user, in the form that package explain reads: VERB
// RESOURCE [NAME] or VERB /PATH, and options.
func Line(random *rand.Rand) string {
	who := pick(random, "alice", "bob", "system:anonymous", "system:kube-scheduler", "system:kube-controller-manager",
		"system:serviceaccount:kube-system:deployment-controller", "system:serviceaccount:ci:runner",
		"system:node:n1 --as-group=system:nodes", "root --as-group=system:masters", "carol --as-group=devs --as-group=admins")
	if random.IntN(4) == 0 {
		return fmt.Sprintf("%s %s --as=%s", pick(random, "get", "post", "head", "delete"),
			pick(random, "/healthz", "/livez/ping", "/readyz", "/version", "/apis", "/apis/apps/v1", "/api", "/metrics", "/debug/x", "/openapi/v2"), who)
	}
	resource, subresource, isSub := strings.Cut(pick(random, "pods", "pods/status", "pods/log", "secrets", "nodes", "nodes/status", "ns", "leases", "endpoints", "configmaps",
		"deploy", "deployments/scale", "events", "widgets.example.com", "flowschemas", "serviceaccounts/token", "csr"), "/")
	if isSub {
		resource += " --subresource=" + subresource
	}
	verb := pick(random, "get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
	name := pick(random, "", "a", "kube-scheduler")
	if verb == "deletecollection" {
		name = ""
	}
	return fmt.Sprintf("%s %s %s %s --as=%s", verb, resource, name, pick(random, "", "-n kube-system", "-n ci", "-n kube-node-lease"), who)
}

// List returns a list of a user who may list, with options.
func List(random *rand.Rand) string {
	return fmt.Sprintf("list %s %s %s %s --as=root --as-group=system:masters", pick(random, "secrets", "configmaps", "pods"),
		pick(random, "-A", "-n default", "-n ci"), pick(random, "", "--limit=1", "--limit=150", "--limit=500"),
		pick(random, "", "--selector=a=b", "--field-selector=metadata.name=filler-1", "--resource-version=0"))
}

// FlowSchemas returns n valid flow schemas on built-in priority levels, which match some
// of the requests that Line returns.
func FlowSchemas(random *rand.Rand, n int) []*flowcontrolv1.FlowSchema {
	some := func(words ...string) []string {
		if random.IntN(3) == 0 {
			return []string{"*"}
		}
		list := []string{pick(random, words...)}
		if other := pick(random, words...); random.IntN(2) == 0 && other != list[0] {
			list = append(list, other)
		}
		return list
	}
	var schemas []*flowcontrolv1.FlowSchema
	for i := range n {
		rule := flowcontrolv1.PolicyRulesWithSubjects{}
		for range 1 + random.IntN(2) {
			rule.Subjects = append(rule.Subjects, randomSubject(random))
		}
		for range random.IntN(3) {
			rule.ResourceRules = append(rule.ResourceRules, flowcontrolv1.ResourcePolicyRule{
				Verbs: some("get", "list", "watch", "create", "update"), APIGroups: some("", "apps", "coordination.k8s.io", "example.com"),
				Resources: some("pods", "pods/status", "secrets", "nodes", "leases", "deployments"), ClusterScope: random.IntN(2) == 0,
				Namespaces: some("kube-system", "ci", "default"),
			})
		}
		rule.NonResourceRules = []flowcontrolv1.NonResourcePolicyRule{{Verbs: some("get", "create"), NonResourceURLs: some("/healthz", "/livez/*", "/apis/*", "/version")}}
		schema := &flowcontrolv1.FlowSchema{}
		schema.Name, schema.Spec.MatchingPrecedence = fmt.Sprintf("random-%d", i), 2+random.Int32N(9998)
		schema.Spec.PriorityLevelConfiguration.Name = pick(random, "system", "workload-low", "catch-all")
		schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{rule}
		if random.IntN(2) == 0 {
			schema.Spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodType(pick(random, "ByUser", "ByNamespace"))}
		}
		schemas = append(schemas, schema)
	}
	return schemas
}

func randomSubject(random *rand.Rand) flowcontrolv1.Subject {
	switch random.IntN(3) {
	case 0:
		return flowcontrolv1.Subject{Kind: "User", User: &flowcontrolv1.UserSubject{Name: pick(random, "alice", "bob", "system:kube-scheduler", "*")}}
	case 1:
		return flowcontrolv1.Subject{Kind: "Group", Group: &flowcontrolv1.GroupSubject{Name: pick(random, "devs", "system:nodes", "system:serviceaccounts:ci", "system:unauthenticated")}}
	default:
		return flowcontrolv1.Subject{Kind: "ServiceAccount", ServiceAccount: &flowcontrolv1.ServiceAccountSubject{
			Namespace: pick(random, "kube-system", "ci"), Name: pick(random, "runner", "*"),
		}}
	}
}
