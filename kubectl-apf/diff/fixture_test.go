package diff

import (
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

func level(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	lendable := int32(50)
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &shares,
				LendablePercent:          &lendable,
				LimitResponse: flowcontrolv1.LimitResponse{
					Type:    flowcontrolv1.LimitResponseTypeQueue,
					Queuing: &flowcontrolv1.QueuingConfiguration{Queues: 16, HandSize: 4, QueueLengthLimit: 50},
				},
			},
		},
	}
}

func schema(name, level string, precedence int32, rules ...flowcontrolv1.PolicyRulesWithSubjects) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: level},
			MatchingPrecedence:         precedence,
			Rules:                      rules,
		},
	}
}

func userSubject(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}
}

func groupSubject(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{Kind: flowcontrolv1.SubjectKindGroup, Group: &flowcontrolv1.GroupSubject{Name: name}}
}

// accountSubject is a service account of the namespace ci.
func accountSubject(name string) flowcontrolv1.Subject {
	return flowcontrolv1.Subject{
		Kind:           flowcontrolv1.SubjectKindServiceAccount,
		ServiceAccount: &flowcontrolv1.ServiceAccountSubject{Namespace: "ci", Name: name},
	}
}

// on returns a rule about resources of the core group in all namespaces.
func on(subject flowcontrolv1.Subject, verb, resource string) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{
		Subjects: []flowcontrolv1.Subject{subject},
		ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
			Verbs: []string{verb}, APIGroups: []string{""}, Resources: []string{resource}, Namespaces: []string{"*"}, ClusterScope: true,
		}},
	}
}

func onPath(subject flowcontrolv1.Subject, url string) flowcontrolv1.PolicyRulesWithSubjects {
	return flowcontrolv1.PolicyRulesWithSubjects{
		Subjects:         []flowcontrolv1.Subject{subject},
		NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{url}}},
	}
}

// base has the levels low and high, and schemas of devs and of everybody.
func base() configuration.Configuration {
	return configuration.Configuration{
		Total:          100,
		PriorityLevels: []*flowcontrolv1.PriorityLevelConfiguration{level("low", 20), level("high", 75)},
		FlowSchemas: []*flowcontrolv1.FlowSchema{
			schema("devs", "high", 500, on(groupSubject("devs"), "*", "*")),
			schema("everybody", "low", 9000, on(groupSubject("system:authenticated"), "*", "*")),
		},
	}
}

func with(schemas ...*flowcontrolv1.FlowSchema) configuration.Configuration {
	return base().Overlay(schemas, nil)
}

func timeZero() time.Time { return time.Unix(0, 0) }

func compare(t *testing.T, before, after configuration.Configuration, events ...*logs.Request) Result {
	t.Helper()
	c := New(before, after, timeZero())
	for _, e := range events {
		c.Observe(e)
	}
	return c.Result()
}

func podsOf(user, verb, namespace string, groups ...string) *logs.Request {
	return &logs.Request{Request: trace.Request{
		User: user, Groups: append(groups, "system:authenticated"), Verb: verb,
		APIVersion: "v1", Resource: "pods", Namespace: namespace,
	}}
}
