package rules

import (
	"errors"
	"fmt"

	flowcontrol "k8s.io/api/flowcontrol/v1"
)

// SchemaOf returns the schema of an object, and an error if the object is invalid. Then the
// schema lacks what is invalid. It shares the lists of strings with the
// object.
func SchemaOf(object *flowcontrol.FlowSchema) (Schema, error) {
	schema := Schema{
		Name:       object.Name,
		UID:        string(object.UID),
		Level:      object.Spec.PriorityLevelConfiguration.Name,
		Precedence: object.Spec.MatchingPrecedence,
		Rules:      make([]Rule, 0, len(object.Spec.Rules)),
		Ref:        object,
	}
	var invalid error
	schema.Distinguisher, invalid = distinguisherOf(object.Spec.DistinguisherMethod)
	for i := range object.Spec.Rules {
		rule, err := ruleOf(&object.Spec.Rules[i])
		if err != nil && invalid == nil {
			invalid = fmt.Errorf("spec.rules[%d].%w", i, err)
		}
		schema.Rules = append(schema.Rules, rule)
	}
	return schema, invalid
}

func distinguisherOf(method *flowcontrol.FlowDistinguisherMethod) (Distinguisher, error) {
	switch {
	case method == nil:
		return ByNothing, nil
	case method.Type == flowcontrol.FlowDistinguisherMethodByUserType:
		return ByUser, nil
	case method.Type == flowcontrol.FlowDistinguisherMethodByNamespaceType:
		return ByNamespace, nil
	default:
		return ByNothing, fmt.Errorf("spec.distinguisherMethod.type must be %q or %q, not %q",
			flowcontrol.FlowDistinguisherMethodByUserType, flowcontrol.FlowDistinguisherMethodByNamespaceType, method.Type)
	}
}

// ruleOf returns a rule without the subjects that are invalid, and an error for the first of
// these.
func ruleOf(object *flowcontrol.PolicyRulesWithSubjects) (Rule, error) {
	rule := Rule{Subjects: make([]Subject, 0, len(object.Subjects))}
	var invalid error
	for i := range object.Subjects {
		subject, err := SubjectOf(&object.Subjects[i])
		switch {
		case err == nil:
			rule.Subjects = append(rule.Subjects, subject)
		case invalid == nil:
			invalid = fmt.Errorf("subjects[%d]: %w", i, err)
		}
	}
	for i := range object.ResourceRules {
		rule.ResourceRules = append(rule.ResourceRules, ResourceRule(object.ResourceRules[i]))
	}
	for i := range object.NonResourceRules {
		r := &object.NonResourceRules[i]
		rule.NonResourceRules = append(rule.NonResourceRules, NonResourceRule{Verbs: r.Verbs, URLs: r.NonResourceURLs})
	}
	return rule, invalid
}

// SubjectOf returns the subject of an object, and an error if the object is invalid.
func SubjectOf(s *flowcontrol.Subject) (Subject, error) {
	switch {
	case s.Kind == flowcontrol.SubjectKindUser && s.User != nil:
		return Subject{Kind: User, Name: s.User.Name}, nil
	case s.Kind == flowcontrol.SubjectKindGroup && s.Group != nil:
		return Subject{Kind: Group, Name: s.Group.Name}, nil
	case s.Kind == flowcontrol.SubjectKindServiceAccount && s.ServiceAccount != nil:
		return Subject{Kind: ServiceAccount, Namespace: s.ServiceAccount.Namespace, Name: s.ServiceAccount.Name}, nil
	default:
		return Subject{}, errors.New("kind must be User, Group or ServiceAccount, and the field of that kind must be set")
	}
}
