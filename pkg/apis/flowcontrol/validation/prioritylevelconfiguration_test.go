package validation_test

import (
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

func validLevel() *flowcontrol.PriorityLevelConfiguration {
	return &flowcontrol.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "batch"},
		Spec: flowcontrol.PriorityLevelConfigurationSpec{
			Type: flowcontrol.PriorityLevelEnablementLimited,
			Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: ptr.To[int32](30),
				LendablePercent:          ptr.To[int32](0),
				LimitResponse: flowcontrol.LimitResponse{
					Type:    flowcontrol.LimitResponseTypeQueue,
					Queuing: &flowcontrol.QueuingConfiguration{Queues: 64, HandSize: 8, QueueLengthLimit: 50},
				},
			},
		},
	}
}

func invalidInEachField() *flowcontrol.PriorityLevelConfiguration {
	level := validLevel()
	level.Name = flowcontrolv1.PriorityLevelConfigurationNameExempt
	level.Annotations = map[string]string{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": ""}
	level.Spec.Exempt = &flowcontrol.ExemptPriorityLevelConfiguration{}
	level.Spec.Limited.NominalConcurrencyShares = ptr.To[int32](-1)
	level.Spec.Limited.LendablePercent = ptr.To[int32](101)
	level.Spec.Limited.LimitResponse.Queuing = &flowcontrol.QueuingConfiguration{HandSize: 8}
	level.Status.Conditions = []flowcontrol.PriorityLevelConfigurationCondition{{}}
	return level
}

type levelCase struct {
	name   string
	change func(*flowcontrol.PriorityLevelConfiguration)
	want   []string
}

func (c levelCase) run(t *testing.T) {
	level := validLevel()
	c.change(level)
	before := level.DeepCopy()
	requireErrors(t, validation.ValidatePriorityLevelConfiguration(level), c.want)
	requireErrors(t, validation.ValidatePriorityLevelConfigurationUpdate(validLevel(), level), c.want)
	requireUnchanged(t, before, level)
}

func TestValidatePriorityLevelConfiguration(t *testing.T) {
	for _, c := range []levelCase{
		{"a complete level is valid", func(*flowcontrol.PriorityLevelConfiguration) {}, nil},
		{"a name is a DNS subdomain", func(l *flowcontrol.PriorityLevelConfiguration) { l.Name = "a_b" }, []string{"FieldValueInvalid metadata.name"}},
		{"the annotation of v1beta3 is rejected elsewhere", func(l *flowcontrol.PriorityLevelConfiguration) {
			l.Annotations = map[string]string{"flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": "x"}
		}, []string{"FieldValueForbidden metadata.annotations"}},
		{"no other level than exempt is exempt", func(l *flowcontrol.PriorityLevelConfiguration) {
			l.Spec = flowcontrol.PriorityLevelConfigurationSpec{Type: "Exempt"}
		}, []string{"FieldValueInvalid spec.type"}},
		{"an exempt level has no limits", func(l *flowcontrol.PriorityLevelConfiguration) { l.Spec.Type = "Exempt" },
			[]string{"FieldValueInvalid spec.type", "FieldValueForbidden spec.limited"}},
		{"a limited level is not exempt", func(l *flowcontrol.PriorityLevelConfiguration) {
			l.Spec.Exempt = &flowcontrol.ExemptPriorityLevelConfiguration{LendablePercent: ptr.To[int32](-1)}
		}, []string{"FieldValueForbidden spec.exempt"}},
		{"a limited level has limits", func(l *flowcontrol.PriorityLevelConfiguration) { l.Spec.Limited = nil }, []string{"FieldValueRequired spec.limited"}},
		{"an unknown type is rejected", func(l *flowcontrol.PriorityLevelConfiguration) { l.Spec.Type = "limited" }, []string{"FieldValueNotSupported spec.type"}},
		{"the lending of an exempt level is checked", func(l *flowcontrol.PriorityLevelConfiguration) {
			l.Name = flowcontrolv1.PriorityLevelConfigurationNameExempt
			l.Spec = flowcontrol.PriorityLevelConfigurationSpec{Type: "Exempt", Exempt: &flowcontrol.ExemptPriorityLevelConfiguration{
				NominalConcurrencyShares: ptr.To[int32](-1), LendablePercent: ptr.To[int32](101),
			}}
		}, []string{"FieldValueInvalid spec.exempt.nominalConcurrencyShares", "FieldValueInvalid spec.exempt.lendablePercent"}},
	} {
		t.Run(c.name, c.run)
	}
}

func TestValidateLimited(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*flowcontrol.LimitedPriorityLevelConfiguration)
		want   []string
	}{
		{"zero shares are valid", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.NominalConcurrencyShares = ptr.To[int32](0) }, nil},
		{"shares not yet defaulted are valid", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.NominalConcurrencyShares = nil }, nil},
		{"negative shares are rejected", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.NominalConcurrencyShares = ptr.To[int32](-1) },
			[]string{"FieldValueInvalid spec.limited.nominalConcurrencyShares"}},
		{"all may be lent", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.LendablePercent = ptr.To[int32](100) }, nil},
		{"more than all may not be lent", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.LendablePercent = ptr.To[int32](101) },
			[]string{"FieldValueInvalid spec.limited.lendablePercent"}},
		{"less than nothing may not be lent", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.LendablePercent = ptr.To[int32](-1) },
			[]string{"FieldValueInvalid spec.limited.lendablePercent"}},
		{"borrowing may pass a hundred percent", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.BorrowingLimitPercent = ptr.To[int32](500) }, nil},
		{"a negative borrowing limit is rejected", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.BorrowingLimitPercent = ptr.To[int32](-1) },
			[]string{"FieldValueInvalid spec.limited.borrowingLimitPercent"}},
		{"rejection needs no queues", func(l *flowcontrol.LimitedPriorityLevelConfiguration) {
			l.LimitResponse = flowcontrol.LimitResponse{Type: "Reject"}
		}, nil},
		{"rejection has no queues", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.LimitResponse.Type = "Reject" },
			[]string{"FieldValueForbidden spec.limited.limitResponse.queuing"}},
		{"queuing needs queues", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.LimitResponse.Queuing = nil },
			[]string{"FieldValueRequired spec.limited.limitResponse.queuing"}},
		{"an unknown response is rejected", func(l *flowcontrol.LimitedPriorityLevelConfiguration) { l.LimitResponse.Type = "" },
			[]string{"FieldValueNotSupported spec.limited.limitResponse.type"}},
	} {
		t.Run(c.name, levelCase{change: func(l *flowcontrol.PriorityLevelConfiguration) { c.change(l.Spec.Limited) }, want: c.want}.run)
	}
}

func TestValidateQueuing(t *testing.T) {
	const path = "FieldValueInvalid spec.limited.limitResponse.queuing."
	for _, c := range []struct {
		name                            string
		queues, handSize, lengthOfQueue int32
		want                            []string
	}{
		{"one queue of one is valid", 1, 1, 1, nil},
		{"ten million queues are valid", 10_000_000, 2, 50, nil},
		{"more than ten million queues are rejected", 10_000_001, 1, 50, []string{path + "queues"}},
		{"a queue is needed", 0, 1, 50, []string{path + "queues", path + "handSize"}},
		{"a hand is needed", 64, 0, 50, []string{path + "handSize"}},
		{"a place in the queue is needed", 64, 8, 0, []string{path + "queueLengthLimit"}},
		{"a hand may hold every queue", 8, 8, 50, nil},
		{"a hand is not larger than the deck", 8, 9, 50, []string{path + "handSize"}},
		{"a hand of 60 bits is valid", 64, 10, 50, nil},
		{"a hand of 66 bits is rejected", 64, 11, 50, []string{path + "handSize"}},
		{"the largest numbers are rejected without harm", 1<<31 - 1, 1<<31 - 1, 1<<31 - 1, []string{path + "queues", path + "handSize"}},
		{"the smallest numbers are rejected without harm", -1 << 31, -1 << 31, -1 << 31, []string{path + "queues", path + "handSize", path + "queueLengthLimit"}},
	} {
		t.Run(c.name, levelCase{change: func(l *flowcontrol.PriorityLevelConfiguration) {
			l.Spec.Limited.LimitResponse.Queuing = &flowcontrol.QueuingConfiguration{
				Queues: c.queues, HandSize: c.handSize, QueueLengthLimit: c.lengthOfQueue,
			}
		}, want: c.want}.run)
	}
}

func TestValidatePriorityLevelConfigurationStatus(t *testing.T) {
	level := validLevel()
	level.Spec.Type = "no such type"
	level.Status.Conditions = []flowcontrol.PriorityLevelConfigurationCondition{{}, {Type: "A"}, {Type: "A"}, {}}
	statusErrors := []string{
		"FieldValueRequired status.conditions[0].type", "FieldValueDuplicate status.conditions[2].type",
		"FieldValueDuplicate status.conditions[3].type", "FieldValueRequired status.conditions[3].type",
	}

	t.Run("a status update looks at the status only", func(t *testing.T) {
		requireErrors(t, validation.ValidatePriorityLevelConfigurationStatusUpdate(validLevel(), level), statusErrors)
	})
	t.Run("a create looks at spec and status", func(t *testing.T) {
		requireErrors(t, validation.ValidatePriorityLevelConfiguration(level), append(statusErrors, "FieldValueNotSupported spec.type"))
	})
}
