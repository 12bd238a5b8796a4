package objects

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// FlowSchema returns a schema, sometimes a mandatory one.
func (g *Generator) FlowSchema() *flowcontrolv1.FlowSchema {
	schema := &flowcontrolv1.FlowSchema{}
	if g.Chance(0.15) {
		mandatory := bootstrap.MandatoryFlowSchemas
		schema = mandatory[g.IntN(len(mandatory))].DeepCopy()
		if g.Wild() {
			schema.Spec.Rules = nil
		}
		if g.Wild() {
			schema.Spec.MatchingPrecedence = g.number(2, 10000)
		}
		if g.Wild() {
			schema.Name = "other"
		}
	} else {
		schema.Spec = g.flowSchemaSpec()
		schema.Name = g.name()
	}
	g.metadata(&schema.ObjectMeta)
	schema.Status.Conditions = conditions(g, func(conditionType string) flowcontrolv1.FlowSchemaCondition {
		return flowcontrolv1.FlowSchemaCondition{
			Type:   flowcontrolv1.FlowSchemaConditionType(conditionType),
			Status: pick(g, []flowcontrolv1.ConditionStatus{"True", "False", "Unknown"}, []flowcontrolv1.ConditionStatus{"", "true"}),
			Reason: "NotFound",
		}
	})
	return schema
}

func (g *Generator) flowSchemaSpec() flowcontrolv1.FlowSchemaSpec {
	spec := flowcontrolv1.FlowSchemaSpec{MatchingPrecedence: g.number(2, 10000)}
	spec.PriorityLevelConfiguration.Name = g.name()
	if g.Chance(0.6) {
		spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{
			Type: pick(g, []flowcontrolv1.FlowDistinguisherMethodType{"ByUser", "ByNamespace"}, []flowcontrolv1.FlowDistinguisherMethodType{"", "byUser", "ByVerb"}),
		}
	}
	spec.Rules = several(g, 0, 2, g.PolicyRules)
	return spec
}

// PolicyRules returns one rule of a schema.
func (g *Generator) PolicyRules() flowcontrolv1.PolicyRulesWithSubjects {
	rules := flowcontrolv1.PolicyRulesWithSubjects{Subjects: several(g, 1, 2, g.subject)}
	shape := g.IntN(3)
	if shape != 0 {
		rules.ResourceRules = several(g, 1, 2, g.resourceRule)
	}
	if shape != 1 {
		rules.NonResourceRules = several(g, 1, 2, g.nonResourceRule)
	}
	if g.Wild() {
		rules.ResourceRules, rules.NonResourceRules = nil, nil
	}
	return rules
}

func (g *Generator) subject() flowcontrolv1.Subject {
	kinds := []flowcontrolv1.SubjectKind{flowcontrolv1.SubjectKindUser, flowcontrolv1.SubjectKindGroup, flowcontrolv1.SubjectKindServiceAccount}
	kind := kinds[g.IntN(len(kinds))]
	subject := flowcontrolv1.Subject{Kind: kind}
	if g.Wild() {
		subject.Kind = []flowcontrolv1.SubjectKind{"", "user", "Everybody", kinds[0], kinds[1], kinds[2]}[g.IntN(6)]
	}
	if (kind == flowcontrolv1.SubjectKindUser) != g.Wild() {
		subject.User = &flowcontrolv1.UserSubject{Name: pick(g, []string{"*", "alice", "system:admin", "a b"}, []string{""})}
	}
	if (kind == flowcontrolv1.SubjectKindGroup) != g.Wild() {
		subject.Group = &flowcontrolv1.GroupSubject{Name: pick(g, []string{"*", "system:nodes", "ä"}, []string{""})}
	}
	if (kind == flowcontrolv1.SubjectKindServiceAccount) != g.Wild() {
		subject.ServiceAccount = &flowcontrolv1.ServiceAccountSubject{
			Namespace: pick(g, goodLabels(), badLabels()),
			Name:      pick(g, append(goodLabels(), "*", "node.controller"), append(badLabels(), "**")),
		}
	}
	return subject
}

func (g *Generator) resourceRule() flowcontrolv1.ResourcePolicyRule {
	rule := flowcontrolv1.ResourcePolicyRule{
		Verbs:        g.verbs(),
		APIGroups:    g.list([]string{"", "apps", "batch"}, []string{"A B"}),
		Resources:    g.list([]string{"pods", "pods/status", "*/scale"}, []string{"//"}),
		ClusterScope: g.Chance(0.5),
	}
	if !rule.ClusterScope || g.Chance(0.5) {
		rule.Namespaces = g.list(goodLabels(), badLabels())
	}
	return rule
}

func (g *Generator) nonResourceRule() flowcontrolv1.NonResourcePolicyRule {
	return flowcontrolv1.NonResourcePolicyRule{
		Verbs: g.verbs(),
		NonResourceURLs: g.list(
			[]string{"/", "/*", "/healthz", "/apis/*", "/a\tb", "/ä/", "/?"},
			[]string{"healthz", "//", "/a//b", "/a b", " ", "/a*", "/*/", "/*/*", "/**", "**", "*/", "/*a"},
		),
	}
}

func (g *Generator) verbs() []string {
	return g.list(
		[]string{"get", "list", "create", "update", "delete", "deletecollection", "patch", "watch", "proxy"},
		[]string{"GET", "post", "head", "bind", " get"},
	)
}
