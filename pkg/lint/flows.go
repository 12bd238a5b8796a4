package lint

import (
	"fmt"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/userset"
)

// hasOneUser reports whether the requests of a schema are of one user at most.
func hasOneUser(schema *flowcontrolv1.FlowSchema) bool {
	seen := sets.New[userset.Set]()
	for i := range schema.Spec.Rules {
		for _, users := range usersOfAll(schema.Spec.Rules[i].Subjects) {
			switch users.Kind {
			case userset.OneUser, userset.OneServiceAccount, userset.Unauthenticated:
				seen.Insert(users)
			default:
				return false
			}
		}
	}
	return seen.Len() <= 1
}

// hasOneNamespace reports whether the requests of a schema have the same namespace, or all have none.
func hasOneNamespace(schema *flowcontrolv1.FlowSchema) bool {
	seen := sets.New[string]()
	for i := range schema.Spec.Rules {
		rule := &schema.Spec.Rules[i]
		if len(rule.NonResourceRules) > 0 {
			seen.Insert("")
		}
		for k := range rule.ResourceRules {
			seen.Insert(rule.ResourceRules[k].Namespaces...)
			if rule.ResourceRules[k].ClusterScope {
				seen.Insert("")
			}
		}
	}
	return seen.Len() <= 1 && !seen.Has(wildcard)
}

// hasOneFlow reports whether all requests of a schema are of one flow.
func hasOneFlow(schema *flowcontrolv1.FlowSchema) bool {
	switch method := schema.Spec.DistinguisherMethod; {
	case method == nil:
		return true
	case method.Type == flowcontrolv1.FlowDistinguisherMethodByUserType:
		return hasOneUser(schema)
	default:
		return hasOneNamespace(schema)
	}
}

// oneFlow is FC116: a schema for several users whose distinguisher does not tell them apart. A level
// without queues, or with one, treats flows alike anyway.
func oneFlow(schema *flowcontrolv1.FlowSchema, level *flowcontrolv1.PriorityLevelConfiguration) []Finding {
	queuing := queuingOf(level)
	if queuing == nil || queuing.Queues == 1 || schema.Spec.DistinguisherMethod == nil || len(schema.Spec.Rules) == 0 || hasOneUser(schema) || !hasOneFlow(schema) {
		return nil
	}
	return []Finding{finding(OneFlow, schemaObject(schema.Name), "spec.distinguisherMethod.type",
		"This FlowSchema is for several users, and all its requests have the same namespace, or none. So they are one flow, and one user can delay all others.",
		fmt.Sprintf("Set the type to %s.", flowcontrolv1.FlowDistinguisherMethodByUserType))}
}

// queuingOf returns how a level queues; nil if it does not.
func queuingOf(level *flowcontrolv1.PriorityLevelConfiguration) *flowcontrolv1.QueuingConfiguration {
	if level == nil || level.Spec.Limited == nil {
		return nil
	}
	return level.Spec.Limited.LimitResponse.Queuing
}
