package lint

import (
	"fmt"
	"slices"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/classify"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/flow"
)

// builtInClients returns one request of each kind that the clients of a control plane send: of
// kube-controller-manager, kube-scheduler and a kubelet.
func builtInClients() []flow.Attributes {
	var requests []flow.Attributes
	send := func(name string, groups []string, verb, group, resource, namespace string) {
		resource, subresource, _ := strings.Cut(resource, "/")
		requests = append(requests, flow.Attributes{
			User: name, Groups: append(groups, user.AllAuthenticated), IsResourceRequest: true,
			Verb: verb, APIGroup: group, APIVersion: "v1", Resource: resource, Subresource: subresource, Namespace: namespace,
		})
	}
	for _, name := range []string{user.KubeControllerManager, user.KubeScheduler} {
		send(name, nil, "list", "", "pods", "")
		send(name, nil, "create", "", "pods/binding", "default")
		send(name, nil, "update", "coordination.k8s.io", "leases", "kube-system")
	}
	node, nodes := "system:node:a", []string{user.NodesGroup}
	send(node, nodes, "list", "", "pods", "")
	send(node, nodes, "patch", "", "nodes/status", "")
	send(node, nodes, "update", "coordination.k8s.io", "leases", "kube-node-lease")
	return requests
}

// judgeBuiltInClients is FC305: a request of a built-in client matches a schema for all users,
// because the built-in schema that is meant for it was changed. A request that an earlier schema
// matches is FC303.
func (j *judge) judgeBuiltInClients() {
	if len(j.defaults.FlowSchemas) == 0 {
		return
	}
	defaults := slices.SortedStableFunc(slices.Values(j.defaults.FlowSchemas), compareMatchingOrder)
	meant := &matcher{schemas: defaults, classifier: classify.New(forClassifier(defaults))}
	seen := map[string]bool{}
	for _, request := range builtInClients() {
		builtIn, now := meant.schemaOf(&request), j.matcher().schemaOf(&request)
		if builtIn == nil || now == nil || !isForAllUsers(now) || isForAllUsers(builtIn) || seen[builtIn.Name] {
			continue
		}
		stored := named(j.schemas, builtIn.Name)
		if stored == nil || classify.New(forClassifier([]*flowcontrolv1.FlowSchema{stored})).Match(&request) >= 0 {
			continue // FC302 and FC303
		}
		seen[builtIn.Name] = true
		j.add(finding(LostBuiltInClient, schemaObject(builtIn.Name), "spec.rules",
			fmt.Sprintf("This built-in FlowSchema was changed, and requests of %q no longer match it. They match %q, which all users share, in the priority level %q.", request.User, now.Name, now.Spec.PriorityLevelConfiguration.Name),
			"Add the subjects and rules of the release again, next to yours.").relatedTo(schemaObject(now.Name)))
	}
}

// isForAllUsers reports whether the schema is for users whom no other schema matches.
func isForAllUsers(schema *flowcontrolv1.FlowSchema) bool {
	return isForUnknownUsers(schema.Name) || isForUnknownUsers(schema.Spec.PriorityLevelConfiguration.Name)
}
