package objects

import (
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// Level returns a level, sometimes a mandatory one.
func (g *Generator) Level() *flowcontrolv1.PriorityLevelConfiguration {
	level := &flowcontrolv1.PriorityLevelConfiguration{}
	switch {
	case g.Chance(0.2):
		mandatory := bootstrap.MandatoryPriorityLevelConfigurations
		level = mandatory[g.IntN(len(mandatory))].DeepCopy()
		if level.Spec.Exempt != nil && g.Chance(0.7) {
			level.Spec.Exempt = g.exempt()
		}
		if g.Wild() {
			level.Spec.Limited = g.limited()
		}
		if g.Wild() {
			level.Spec.Type = g.levelType()
		}
		if g.Wild() {
			level.Name = "other"
		}
	default:
		level.Name = g.name()
		level.Spec = flowcontrolv1.PriorityLevelConfigurationSpec{Type: g.levelType(), Limited: g.limited()}
		if g.Wild() {
			level.Spec.Limited = nil
		}
		if g.Wild() {
			level.Spec.Exempt = g.exempt()
		}
	}
	g.metadata(&level.ObjectMeta)
	level.Status.Conditions = conditions(g, func(conditionType string) flowcontrolv1.PriorityLevelConfigurationCondition {
		return flowcontrolv1.PriorityLevelConfigurationCondition{Type: flowcontrolv1.PriorityLevelConfigurationConditionType(conditionType)}
	})
	return level
}

func (g *Generator) levelType() flowcontrolv1.PriorityLevelEnablement {
	return pick(g, []flowcontrolv1.PriorityLevelEnablement{"Limited"}, []flowcontrolv1.PriorityLevelEnablement{"Exempt", "", "limited"})
}

func (g *Generator) exempt() *flowcontrolv1.ExemptPriorityLevelConfiguration {
	return &flowcontrolv1.ExemptPriorityLevelConfiguration{
		NominalConcurrencyShares: g.optional(1000),
		LendablePercent:          g.optional(100),
	}
}

func (g *Generator) limited() *flowcontrolv1.LimitedPriorityLevelConfiguration {
	limited := &flowcontrolv1.LimitedPriorityLevelConfiguration{
		NominalConcurrencyShares: g.optional(1000),
		LendablePercent:          g.optional(100),
		BorrowingLimitPercent:    g.optional(1000),
	}
	if isQueue := g.Chance(0.7); isQueue != g.Wild() {
		limited.LimitResponse.Queuing = g.queuing()
	}
	limited.LimitResponse.Type = flowcontrolv1.LimitResponseTypeReject
	if (limited.LimitResponse.Queuing != nil) != g.Wild() {
		limited.LimitResponse.Type = flowcontrolv1.LimitResponseTypeQueue
	}
	if g.Wild() {
		limited.LimitResponse.Type = ""
	}
	return limited
}

// queuing may omit any number. Hands in a large deck have at most two cards,
// because the hash has too few bits for more.
func (g *Generator) queuing() *flowcontrolv1.QueuingConfiguration {
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

func (g *Generator) optional(high int32) *int32 {
	if g.Chance(0.3) {
		return nil
	}
	return new(g.number(0, high))
}
