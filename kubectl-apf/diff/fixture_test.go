package diff

import (
	"testing"
	"time"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/e2e/objects"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/logs"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/trace"
)

func level(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	l := objects.Queuing(name, shares, 16, 4, 50)
	l.Spec.Limited.LendablePercent = new(int32(50))
	return l
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
	return objects.Rule(subject, verb, "", resource, "*")
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
			objects.Schema("devs", "high", 500, on(objects.Group("devs"), "*", "*")),
			objects.Schema("everybody", "low", 9000, on(objects.Group("system:authenticated"), "*", "*")),
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
