package record

import (
	"cmp"
	"fmt"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// FlowSchemas returns flow schemas with pseudonyms, which match the same requests. Flow schemas of
// the same precedence match in the order of their names: it returns an error if pseudonyms change
// this order.
func (p *Pseudonyms) FlowSchemas(schemas []*flowcontrolv1.FlowSchema) ([]*flowcontrolv1.FlowSchema, error) {
	sorted := slices.SortedFunc(slices.Values(schemas), func(a, b *flowcontrolv1.FlowSchema) int {
		return cmp.Or(cmp.Compare(a.Spec.MatchingPrecedence, b.Spec.MatchingPrecedence), cmp.Compare(a.Name, b.Name))
	})
	out := make([]*flowcontrolv1.FlowSchema, len(sorted))
	for i, schema := range sorted {
		out[i] = p.schema(schema)
		if i == 0 {
			continue
		}
		before := sorted[i-1]
		if before.Spec.MatchingPrecedence == schema.Spec.MatchingPrecedence && out[i-1].Name > out[i].Name {
			return nil, fmt.Errorf("flow schemas %q and %q have the matchingPrecedence %d, and their pseudonyms have the other order: set different values",
				before.Name, schema.Name, schema.Spec.MatchingPrecedence)
		}
	}
	return out, nil
}

func (p *Pseudonyms) schema(schema *flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchema {
	out := &flowcontrolv1.FlowSchema{
		TypeMeta:   metav1.TypeMeta{Kind: "FlowSchema", APIVersion: flowcontrolv1.SchemeGroupVersion.String()},
		ObjectMeta: metav1.ObjectMeta{Name: p.FlowSchema(schema.Name)},
		Spec:       *schema.Spec.DeepCopy(),
	}
	out.Spec.PriorityLevelConfiguration.Name = p.PriorityLevel(schema.Spec.PriorityLevelConfiguration.Name)
	for i := range out.Spec.Rules {
		rule := &out.Spec.Rules[i]
		for j := range rule.Subjects {
			p.subject(&rule.Subjects[j])
		}
		for j := range rule.ResourceRules {
			for k, namespace := range rule.ResourceRules[j].Namespaces {
				rule.ResourceRules[j].Namespaces[k] = p.namespaceOfRule(namespace)
			}
		}
	}
	return out
}

// namespaceOfRule keeps the name that means all namespaces.
func (p *Pseudonyms) namespaceOfRule(name string) string {
	if name == flowcontrolv1.NamespaceEvery {
		return name
	}
	return p.Namespace(name)
}

func (p *Pseudonyms) subject(s *flowcontrolv1.Subject) {
	switch {
	case s.Kind == flowcontrolv1.SubjectKindUser && s.User != nil && s.User.Name != anything:
		s.User.Name = p.User(s.User.Name)
	case s.Kind == flowcontrolv1.SubjectKindGroup && s.Group != nil && s.Group.Name != anything:
		s.Group.Name = p.Group(s.Group.Name)
	case s.Kind == flowcontrolv1.SubjectKindServiceAccount && s.ServiceAccount != nil:
		account := s.ServiceAccount
		if account.Name != anything {
			account.Name = p.account(account.Namespace, account.Name)
		}
		account.Namespace = p.Namespace(account.Namespace)
	}
}

// PriorityLevels returns priority levels with pseudonyms.
func (p *Pseudonyms) PriorityLevels(levels []*flowcontrolv1.PriorityLevelConfiguration) []*flowcontrolv1.PriorityLevelConfiguration {
	out := make([]*flowcontrolv1.PriorityLevelConfiguration, len(levels))
	for i, level := range levels {
		out[i] = &flowcontrolv1.PriorityLevelConfiguration{
			TypeMeta:   metav1.TypeMeta{Kind: "PriorityLevelConfiguration", APIVersion: flowcontrolv1.SchemeGroupVersion.String()},
			ObjectMeta: metav1.ObjectMeta{Name: p.PriorityLevel(level.Name)},
			Spec:       *level.Spec.DeepCopy(),
		}
	}
	return out
}
