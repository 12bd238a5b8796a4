package parity

import (
	"math/rand/v2"
	"slices"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// generator makes objects in v1. Each choice is a good one, or with the
// probability wildness one that is probably not.
type generator struct {
	*rand.Rand
	wildness float64
}

func (g *generator) chance(probability float64) bool { return g.Float64() < probability }

func (g *generator) wild() bool { return g.chance(g.wildness) }

// pick takes a member of good, or a wild one of bad.
func pick[T any](g *generator, good, bad []T) T {
	if g.wild() {
		return bad[g.IntN(len(bad))]
	}
	return good[g.IntN(len(good))]
}

// several makes low to high things, or when wild none, or one thing twice.
func several[T any](g *generator, low, high int, one func() T) []T {
	count := low + g.IntN(high-low+1)
	if g.wild() {
		count = g.IntN(4)
	}
	var things []T
	for range count {
		things = append(things, one())
	}
	if len(things) > 0 && g.wild() {
		things = append(things, things[g.IntN(len(things))])
	}
	return things
}

// number is between low and high, both often, or when wild beyond.
func (g *generator) number(low, high int32) int32 {
	within := low + g.Int32N(high-low+1)
	return pick(g, []int32{low, high, within, within}, []int32{low - 1, high + 1, 0, 1, -1, -1 << 31, 1<<31 - 1, int32(g.Uint32())})
}

// list is what a rule lists: a wildcard or members of good.
func (g *generator) list(good, bad []string) []string {
	if g.chance(0.2) && !g.wild() {
		return []string{"*"}
	}
	return several(g, 1, 3, func() string { return pick(g, good, append(bad, "*", "")) })
}

func (g *generator) flowSchema() *flowcontrolv1.FlowSchema {
	schema := &flowcontrolv1.FlowSchema{}
	if g.chance(0.15) {
		mandatory := bootstrap.MandatoryFlowSchemas
		schema = mandatory[g.IntN(len(mandatory))].DeepCopy()
		if g.wild() {
			schema.Spec.Rules = nil
		}
		if g.wild() {
			schema.Spec.MatchingPrecedence = g.number(2, 10000)
		}
		if g.wild() {
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

func (g *generator) flowSchemaSpec() flowcontrolv1.FlowSchemaSpec {
	spec := flowcontrolv1.FlowSchemaSpec{MatchingPrecedence: g.number(2, 10000)}
	spec.PriorityLevelConfiguration.Name = g.name()
	if g.chance(0.6) {
		spec.DistinguisherMethod = &flowcontrolv1.FlowDistinguisherMethod{
			Type: pick(g, []flowcontrolv1.FlowDistinguisherMethodType{"ByUser", "ByNamespace"}, []flowcontrolv1.FlowDistinguisherMethodType{"", "byUser", "ByVerb"}),
		}
	}
	spec.Rules = several(g, 0, 2, g.policyRules)
	return spec
}

func (g *generator) policyRules() flowcontrolv1.PolicyRulesWithSubjects {
	rules := flowcontrolv1.PolicyRulesWithSubjects{Subjects: several(g, 1, 2, g.subject)}
	shape := g.IntN(3)
	if shape != 0 {
		rules.ResourceRules = several(g, 1, 2, g.resourceRule)
	}
	if shape != 1 {
		rules.NonResourceRules = several(g, 1, 2, g.nonResourceRule)
	}
	if g.wild() {
		rules.ResourceRules, rules.NonResourceRules = nil, nil
	}
	return rules
}

func (g *generator) subject() flowcontrolv1.Subject {
	kinds := []flowcontrolv1.SubjectKind{flowcontrolv1.SubjectKindUser, flowcontrolv1.SubjectKindGroup, flowcontrolv1.SubjectKindServiceAccount}
	kind := kinds[g.IntN(len(kinds))]
	subject := flowcontrolv1.Subject{Kind: kind}
	if g.wild() {
		subject.Kind = []flowcontrolv1.SubjectKind{"", "user", "Everybody", kinds[0], kinds[1], kinds[2]}[g.IntN(6)]
	}
	if (kind == flowcontrolv1.SubjectKindUser) != g.wild() {
		subject.User = &flowcontrolv1.UserSubject{Name: pick(g, []string{"*", "alice", "system:admin", "a b"}, []string{""})}
	}
	if (kind == flowcontrolv1.SubjectKindGroup) != g.wild() {
		subject.Group = &flowcontrolv1.GroupSubject{Name: pick(g, []string{"*", "system:nodes", "ä"}, []string{""})}
	}
	if (kind == flowcontrolv1.SubjectKindServiceAccount) != g.wild() {
		subject.ServiceAccount = &flowcontrolv1.ServiceAccountSubject{
			Namespace: pick(g, goodLabels(), badLabels()),
			Name:      pick(g, append(goodLabels(), "*", "node.controller"), append(badLabels(), "**")),
		}
	}
	return subject
}

func (g *generator) resourceRule() flowcontrolv1.ResourcePolicyRule {
	rule := flowcontrolv1.ResourcePolicyRule{
		Verbs:        g.verbs(),
		APIGroups:    g.list([]string{"", "apps", "batch"}, []string{"A B"}),
		Resources:    g.list([]string{"pods", "pods/status", "*/scale"}, []string{"//"}),
		ClusterScope: g.chance(0.5),
	}
	if !rule.ClusterScope || g.chance(0.5) {
		rule.Namespaces = g.list(goodLabels(), badLabels())
	}
	return rule
}

func (g *generator) nonResourceRule() flowcontrolv1.NonResourcePolicyRule {
	return flowcontrolv1.NonResourcePolicyRule{
		Verbs: g.verbs(),
		NonResourceURLs: g.list(
			[]string{"/", "/*", "/healthz", "/apis/*", "/a\tb", "/ä/", "/?"},
			[]string{"healthz", "//", "/a//b", "/a b", " ", "/a*", "/*/", "/*/*", "/**", "**", "*/", "/*a"},
		),
	}
}

func (g *generator) verbs() []string {
	return g.list(
		[]string{"get", "list", "create", "update", "delete", "deletecollection", "patch", "watch", "proxy"},
		[]string{"GET", "post", "head", "bind", " get"},
	)
}

func (g *generator) level() *flowcontrolv1.PriorityLevelConfiguration {
	level := &flowcontrolv1.PriorityLevelConfiguration{}
	switch {
	case g.chance(0.2):
		mandatory := bootstrap.MandatoryPriorityLevelConfigurations
		level = mandatory[g.IntN(len(mandatory))].DeepCopy()
		if level.Spec.Exempt != nil && g.chance(0.7) {
			level.Spec.Exempt = g.exempt()
		}
		if g.wild() {
			level.Spec.Limited = g.limited()
		}
		if g.wild() {
			level.Spec.Type = g.levelType()
		}
		if g.wild() {
			level.Name = "other"
		}
	default:
		level.Name = g.name()
		level.Spec = flowcontrolv1.PriorityLevelConfigurationSpec{Type: g.levelType(), Limited: g.limited()}
		if g.wild() {
			level.Spec.Limited = nil
		}
		if g.wild() {
			level.Spec.Exempt = g.exempt()
		}
	}
	g.metadata(&level.ObjectMeta)
	level.Status.Conditions = conditions(g, func(conditionType string) flowcontrolv1.PriorityLevelConfigurationCondition {
		return flowcontrolv1.PriorityLevelConfigurationCondition{Type: flowcontrolv1.PriorityLevelConfigurationConditionType(conditionType)}
	})
	return level
}

func (g *generator) levelType() flowcontrolv1.PriorityLevelEnablement {
	return pick(g, []flowcontrolv1.PriorityLevelEnablement{"Limited"}, []flowcontrolv1.PriorityLevelEnablement{"Exempt", "", "limited"})
}

func (g *generator) exempt() *flowcontrolv1.ExemptPriorityLevelConfiguration {
	return &flowcontrolv1.ExemptPriorityLevelConfiguration{
		NominalConcurrencyShares: g.optional(1000),
		LendablePercent:          g.optional(100),
	}
}

func (g *generator) limited() *flowcontrolv1.LimitedPriorityLevelConfiguration {
	limited := &flowcontrolv1.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: g.optional(1000),
		LendablePercent:          g.optional(100),
		BorrowingLimitPercent:    g.optional(1000),
	}
	if isQueue := g.chance(0.7); isQueue != g.wild() {
		limited.LimitResponse.Queuing = g.queuing()
	}
	limited.LimitResponse.Type = flowcontrolv1.LimitResponseTypeReject
	if (limited.LimitResponse.Queuing != nil) != g.wild() {
		limited.LimitResponse.Type = flowcontrolv1.LimitResponseTypeQueue
	}
	if g.wild() {
		limited.LimitResponse.Type = ""
	}
	return limited
}

// queuing may leave any number out; hands are of at most two cards where the
// deck is large, for want of bits.
func (g *generator) queuing() *flowcontrolv1.QueuingConfiguration {
	queuing := &flowcontrolv1.QueuingConfiguration{QueueLengthLimit: g.number(0, 1000)}
	switch g.IntN(3) {
	case 0:
		queuing.Queues, queuing.HandSize = g.number(256, 10_000_000), g.number(1, 2)
	case 1:
		queuing.Queues, queuing.HandSize = g.number(10, 64), g.number(0, 10)
	default:
		queuing.HandSize = g.number(0, 10)
	}
	return queuing
}

func (g *generator) optional(high int32) *int32 {
	if g.chance(0.3) {
		return nil
	}
	return new(g.number(0, high))
}

// conditions are of different types, unless wild.
func conditions[T any](g *generator, one func(string) T) []T {
	var made []T
	types := []string{"Dangling", "Ready", "Other"}
	for _, conditionType := range types[:g.IntN(len(types)+1)] {
		made = append(made, one(conditionType))
	}
	if g.wild() {
		made = append(made, one(pick(g, types, []string{""})))
	}
	if len(made) > 1 && g.wild() {
		made = slices.Insert(made, g.IntN(len(made)), one(""))
	}
	return made
}
