package validation_test

import (
	"slices"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
)

func TestTheBuiltInObjectsAreValid(t *testing.T) {
	for _, published := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		t.Run("schema "+published.Name, func(t *testing.T) {
			requireErrors(t, validation.ValidateFlowSchema(builtIn(t, &flowcontrol.FlowSchema{}, published)), nil)
		})
	}
	for _, published := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		t.Run("level "+published.Name, func(t *testing.T) {
			requireErrors(t, validation.ValidatePriorityLevelConfiguration(builtIn(t, &flowcontrol.PriorityLevelConfiguration{}, published)), nil)
		})
	}
}

func TestAMandatoryFlowSchemaKeepsItsSpec(t *testing.T) {
	differs := []string{"FieldValueInvalid spec"}
	for _, c := range []struct {
		name   string
		change func(*flowcontrol.FlowSchema)
		want   []string
	}{
		{"metadata may change", func(s *flowcontrol.FlowSchema) { s.Labels = map[string]string{"a": "b"} }, nil},
		{"status may change", func(s *flowcontrol.FlowSchema) {
			s.Status.Conditions = []flowcontrol.FlowSchemaCondition{{Type: "Dangling"}}
		}, nil},
		{"the precedence may not change", func(s *flowcontrol.FlowSchema) { s.Spec.MatchingPrecedence = 500 }, differs},
		{"the level may not change", func(s *flowcontrol.FlowSchema) { s.Spec.PriorityLevelConfiguration.Name = "system" }, differs},
		{"the rules may not change", func(s *flowcontrol.FlowSchema) { s.Spec.Rules[0].Subjects[0].Group.Name = "system:nodes" }, differs},
		{"another error is reported beside the difference", func(s *flowcontrol.FlowSchema) { s.Spec.MatchingPrecedence = 0 },
			[]string{"FieldValueInvalid spec", "FieldValueInvalid spec.matchingPrecedence"}},
	} {
		for _, mandatory := range bootstrap.MandatoryFlowSchemas {
			t.Run(mandatory.Name+": "+c.name, func(t *testing.T) {
				schema := builtIn(t, &flowcontrol.FlowSchema{}, mandatory.DeepCopy())
				c.change(schema)
				requireErrors(t, validation.ValidateFlowSchema(schema), c.want)
				requireErrors(t, validation.ValidateFlowSchemaUpdate(builtIn(t, &flowcontrol.FlowSchema{}, mandatory), schema), c.want)
			})
		}
	}
}

func TestAMandatoryLevelKeepsItsSpec(t *testing.T) {
	for _, c := range []struct {
		name, level string
		change      func(*flowcontrol.PriorityLevelConfigurationSpec)
		want        []string
	}{
		{"the shares of catch-all may not change", flowcontrolv1.PriorityLevelConfigurationNameCatchAll,
			func(s *flowcontrol.PriorityLevelConfigurationSpec) {
				s.Limited.NominalConcurrencyShares = ptr.To[int32](6)
			},
			[]string{"FieldValueInvalid spec"}},
		{"the shares of catch-all may not be left out", flowcontrolv1.PriorityLevelConfigurationNameCatchAll,
			func(s *flowcontrol.PriorityLevelConfigurationSpec) { s.Limited.NominalConcurrencyShares = nil },
			[]string{"FieldValueInvalid spec"}},
		{"the borrowing of catch-all may not be limited", flowcontrolv1.PriorityLevelConfigurationNameCatchAll,
			func(s *flowcontrol.PriorityLevelConfigurationSpec) {
				s.Limited.BorrowingLimitPercent = ptr.To[int32](0)
			},
			[]string{"FieldValueInvalid spec"}},
		{"the lending of exempt may change", flowcontrolv1.PriorityLevelConfigurationNameExempt,
			func(s *flowcontrol.PriorityLevelConfigurationSpec) {
				s.Exempt = &flowcontrol.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](10), LendablePercent: ptr.To[int32](50)}
			}, nil},
		{"the lending of exempt may be left out", flowcontrolv1.PriorityLevelConfigurationNameExempt, func(s *flowcontrol.PriorityLevelConfigurationSpec) { s.Exempt = nil }, nil},
		{"exempt may not be limited", flowcontrolv1.PriorityLevelConfigurationNameExempt,
			func(s *flowcontrol.PriorityLevelConfigurationSpec) { s.Limited = validLevel().Spec.Limited },
			[]string{"FieldValueInvalid spec", "FieldValueForbidden spec.limited"}},
		{"exempt may not become limited", flowcontrolv1.PriorityLevelConfigurationNameExempt,
			func(s *flowcontrol.PriorityLevelConfigurationSpec) { *s = validLevel().Spec },
			[]string{"FieldValueInvalid spec", "FieldValueInvalid spec.type"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mandatory := range bootstrap.MandatoryPriorityLevelConfigurations {
				if mandatory.Name != c.level {
					continue
				}
				level := builtIn(t, &flowcontrol.PriorityLevelConfiguration{}, mandatory.DeepCopy())
				c.change(&level.Spec)
				requireErrors(t, validation.ValidatePriorityLevelConfiguration(level), c.want)
				requireErrors(t, validation.ValidatePriorityLevelConfigurationUpdate(builtIn(t, &flowcontrol.PriorityLevelConfiguration{}, mandatory), level), c.want)
				return
			}
			t.Fatalf("the library has no mandatory level %q", c.level)
		})
	}
}

// builtIn converts an object of the library to the hub.
func builtIn[T any](t *testing.T, hub T, published any) T {
	t.Helper()
	if err := install.NewScheme().Convert(published, hub, nil); err != nil {
		t.Fatal(err)
	}
	return hub
}
