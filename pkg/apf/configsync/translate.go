package configsync

import (
	"errors"
	"fmt"

	flowcontrol "k8s.io/api/flowcontrol/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/allocation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/engine"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/rules"
)

// defaultShares is the default of nominalConcurrencyShares of a limited level.
const defaultShares = 30

// translateLevel translates a level, or returns an error if it is invalid. former is the
// last valid version of the level, or the zero value. An ignoredError concerns only an
// annotation.
func translateLevel(object *flowcontrol.PriorityLevelConfiguration, former engine.LevelConfig) (engine.LevelConfig, error) {
	config := engine.LevelConfig{Name: object.Name, UID: string(object.UID), Ref: object}
	spec := &object.Spec
	if (spec.Type == flowcontrol.PriorityLevelEnablementLimited) != (spec.Limited != nil) {
		return config, fmt.Errorf("spec.limited must be set if, and only if, spec.type is %q; spec.type is %q", flowcontrol.PriorityLevelEnablementLimited, spec.Type)
	}
	if (spec.Type == flowcontrol.PriorityLevelEnablementExempt) != (spec.Exempt != nil) {
		return config, fmt.Errorf("spec.exempt must be set if, and only if, spec.type is %q; spec.type is %q", flowcontrol.PriorityLevelEnablementExempt, spec.Type)
	}
	switch {
	case spec.Exempt != nil:
		config.Discipline = queueset.Exempt
		config.Share = allocation.Share{
			Shares:          valueOr(spec.Exempt.NominalConcurrencyShares, 0),
			LendablePercent: valueOr(spec.Exempt.LendablePercent, 0),
		}
		return config, config.Validate()
	case spec.Limited != nil:
		config.Share = allocation.Share{
			Shares:                valueOr(spec.Limited.NominalConcurrencyShares, defaultShares),
			LendablePercent:       valueOr(spec.Limited.LendablePercent, 0),
			BorrowingLimitPercent: spec.Limited.BorrowingLimitPercent,
		}
		if err := translateLimitResponse(&spec.Limited.LimitResponse, &config.Config); err != nil {
			return config, err
		}
		if err := config.Validate(); err != nil {
			return config, err
		}
		return config, setCap(&config, object, former.MaxFlowSeatsPercent)
	default:
		return config, fmt.Errorf("spec.type must be %q or %q, not %q", flowcontrol.PriorityLevelEnablementLimited, flowcontrol.PriorityLevelEnablementExempt, spec.Type)
	}
}

func translateLimitResponse(response *flowcontrol.LimitResponse, config *queueset.Config) error {
	queuing := response.Queuing
	switch {
	case response.Type == flowcontrol.LimitResponseTypeReject && queuing == nil:
		config.Discipline = queueset.Reject
		return nil
	case response.Type == flowcontrol.LimitResponseTypeQueue && queuing != nil:
		*config = queueset.Config{
			Discipline:       queueset.Queue,
			Queues:           int(queuing.Queues),
			HandSize:         int(queuing.HandSize),
			QueueLengthLimit: int(queuing.QueueLengthLimit),
		}
		return nil
	default:
		return fmt.Errorf("spec.limited.limitResponse.type must be %q without queuing or %q with it; it is %q",
			flowcontrol.LimitResponseTypeReject, flowcontrol.LimitResponseTypeQueue, response.Type)
	}
}

func valueOr(pointer *int32, otherwise int32) int32 {
	if pointer == nil {
		return otherwise
	}
	return *pointer
}

// translateSchema translates a schema, or returns an error if it is invalid.
func translateSchema(object *flowcontrol.FlowSchema, _ rules.Schema) (rules.Schema, error) {
	schema := rules.Schema{
		Name:       object.Name,
		UID:        string(object.UID),
		Level:      object.Spec.PriorityLevelConfiguration.Name,
		Precedence: object.Spec.MatchingPrecedence,
		Rules:      make([]rules.Rule, 0, len(object.Spec.Rules)),
		Ref:        object,
	}
	if method := object.Spec.DistinguisherMethod; method != nil {
		switch method.Type {
		case flowcontrol.FlowDistinguisherMethodByUserType:
			schema.Distinguisher = rules.ByUser
		case flowcontrol.FlowDistinguisherMethodByNamespaceType:
			schema.Distinguisher = rules.ByNamespace
		default:
			return schema, fmt.Errorf("spec.distinguisherMethod.type must be %q or %q, not %q",
				flowcontrol.FlowDistinguisherMethodByUserType, flowcontrol.FlowDistinguisherMethodByNamespaceType, method.Type)
		}
	}
	for i := range object.Spec.Rules {
		rule, err := translateRule(&object.Spec.Rules[i])
		if err != nil {
			return schema, fmt.Errorf("spec.rules[%d].%w", i, err)
		}
		schema.Rules = append(schema.Rules, rule)
	}
	return schema, nil
}

// translateRule shares the lists of strings with the object, which is immutable.
func translateRule(object *flowcontrol.PolicyRulesWithSubjects) (rules.Rule, error) {
	rule := rules.Rule{Subjects: make([]rules.Subject, 0, len(object.Subjects))}
	for i := range object.Subjects {
		subject, err := translateSubject(&object.Subjects[i])
		if err != nil {
			return rule, fmt.Errorf("subjects[%d]: %w", i, err)
		}
		rule.Subjects = append(rule.Subjects, subject)
	}
	for i := range object.ResourceRules {
		r := &object.ResourceRules[i]
		rule.ResourceRules = append(rule.ResourceRules, rules.ResourceRule{
			Verbs: r.Verbs, APIGroups: r.APIGroups, Resources: r.Resources, ClusterScope: r.ClusterScope, Namespaces: r.Namespaces,
		})
	}
	for i := range object.NonResourceRules {
		r := &object.NonResourceRules[i]
		rule.NonResourceRules = append(rule.NonResourceRules, rules.NonResourceRule{Verbs: r.Verbs, URLs: r.NonResourceURLs})
	}
	return rule, nil
}

func translateSubject(s *flowcontrol.Subject) (rules.Subject, error) {
	switch {
	case s.Kind == flowcontrol.SubjectKindUser && s.User != nil:
		return rules.Subject{Kind: rules.User, Name: s.User.Name}, nil
	case s.Kind == flowcontrol.SubjectKindGroup && s.Group != nil:
		return rules.Subject{Kind: rules.Group, Name: s.Group.Name}, nil
	case s.Kind == flowcontrol.SubjectKindServiceAccount && s.ServiceAccount != nil:
		return rules.Subject{Kind: rules.ServiceAccount, Namespace: s.ServiceAccount.Namespace, Name: s.ServiceAccount.Name}, nil
	default:
		return rules.Subject{}, errors.New("kind must be User, Group or ServiceAccount, and the field of that kind must be set")
	}
}
