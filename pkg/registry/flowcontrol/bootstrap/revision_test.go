package bootstrap

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/utils/ptr"
)

func TestRevisionOfAFlowSchema(t *testing.T) {
	builtIn := newSchema("s", "system", 100)
	for _, c := range []struct {
		name       string
		role       role
		annotation string
		generation int64
		precedence int32 // stored

		restored, annotated bool
		wantPrecedence      int32
		wantAnnotation      string
	}{
		{"the server's, equal: nothing", suggested, "true", 1, 100, false, false, 100, "true"},
		{"the server's, changed: the spec", suggested, "true", 2, 200, true, false, 100, "true"},
		{"the server's without annotation, equal: the annotation", suggested, "absent", 1, 100, false, true, 100, "true"},
		{"the server's without annotation, of another release: both", suggested, "absent", 1, 200, true, true, 100, "true"},
		{"the user's, changed: nothing", suggested, "false", 2, 200, false, false, 200, "false"},
		{"the user's, equal: nothing", suggested, "false", 1, 100, false, false, 100, "false"},
		{"the user's without annotation, changed: the annotation", suggested, "absent", 2, 200, false, true, 200, "false"},
		{"the user's with nonsense, equal: the annotation", suggested, "perhaps", 3, 100, false, true, 100, "false"},
		{"mandatory, equal: nothing", mandatory, "true", 1, 100, false, false, 100, "true"},
		{"mandatory, changed and claimed by the user: both", mandatory, "false", 2, 200, true, true, 100, "true"},
		{"mandatory, claimed by the user: the annotation", mandatory, "false", 2, 100, false, true, 100, "true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := saying(newSchema("s", "system", c.precedence), c.annotation)
			stored.Generation, stored.ResourceVersion, stored.UID = c.generation, "7", "u"
			stored.Labels = map[string]string{"team": "blue"}
			stored.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{{Type: "Dangling"}}
			before := stored.DeepCopy()

			got := revise(c.role, stored, builtIn, restoreFlowSchema)

			require.Equal(t, before, stored, "what was read may be shared")
			require.Equal(t, c.restored, got.restored)
			require.Equal(t, c.annotated, got.annotated)
			require.Equal(t, c.restored || c.annotated, got.needed())
			want := saying(before, c.wantAnnotation)
			want.Spec.MatchingPrecedence = c.wantPrecedence
			require.Equal(t, want, got.object)
		})
	}
}

func TestRevisionOfTheLevelExempt(t *testing.T) {
	exempt := library.MandatoryPriorityLevelConfigurationExempt
	limited := newLevel("exempt", 5).Spec
	for _, c := range []struct {
		name         string
		stored, want flowcontrolv1.PriorityLevelConfigurationSpec
	}{
		{"what the user lets it have and lend stays",
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:   flowcontrolv1.PriorityLevelEnablementExempt,
				Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			},
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:   flowcontrolv1.PriorityLevelEnablementExempt,
				Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			}},
		{"it stays while the rest is restored",
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:    flowcontrolv1.PriorityLevelEnablementLimited,
				Limited: limited.Limited,
				Exempt:  &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			},
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:   flowcontrolv1.PriorityLevelEnablementExempt,
				Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			}},
		{"where an old server stored none, the built-in values come in",
			flowcontrolv1.PriorityLevelConfigurationSpec{Type: flowcontrolv1.PriorityLevelEnablementExempt},
			exempt.Spec},
		{"a limited level is made exempt again", limited, exempt.Spec},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := saying(newLevel("exempt", 0), "true")
			stored.Spec = c.stored
			got := revise(mandatory, stored, exempt, restorePriorityLevel)
			require.Equal(t, c.want, got.object.Spec)
		})
	}
	t.Run("another exempt level has nothing of its own to say", func(t *testing.T) {
		builtIn := exempt.DeepCopy()
		builtIn.Name = "other"
		stored := builtIn.DeepCopy()
		stored.Spec.Exempt.NominalConcurrencyShares = ptr.To[int32](40)
		require.Equal(t, builtIn.Spec, revise(mandatory, stored, builtIn, restorePriorityLevel).object.Spec)
	})
}

func TestDefaultsDoNotCountAsAChange(t *testing.T) {
	t.Run("of a FlowSchema", func(t *testing.T) {
		brief := newSchema("s", "system", 0)
		k := flowSchemas(newAPI(t).FlowcontrolV1().FlowSchemas(), []*flowcontrolv1.FlowSchema{brief}, nil)
		got := revise(mandatory, saying(newSchema("s", "system", 1000), "true"), k.mandatory[0], k.restore)
		require.False(t, got.needed())
		require.Zero(t, brief.Spec.MatchingPrecedence, "the library's object is not ours to change")
	})
	t.Run("of a PriorityLevelConfiguration", func(t *testing.T) {
		brief := newLevel("l", 30)
		brief.Spec.Limited.NominalConcurrencyShares = nil
		k := priorityLevels(newAPI(t).FlowcontrolV1().PriorityLevelConfigurations(), nil, []*flowcontrolv1.PriorityLevelConfiguration{brief})
		got := revise(suggested, saying(newLevel("l", 30), "true"), k.suggested[0], k.restore)
		require.False(t, got.needed())
		require.Nil(t, brief.Spec.Limited.NominalConcurrencyShares, "the library's object is not ours to change")
	})
	t.Run("an empty list is as good as none, as protobuf stores it", func(t *testing.T) {
		builtIn := newSchema("s", "system", 100)
		builtIn.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{}
		stored := saying(newSchema("s", "system", 100), "true")
		require.False(t, revise(mandatory, stored, builtIn, restoreFlowSchema).needed())
	})
}
