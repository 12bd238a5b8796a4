package bootstrap

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	library "k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/utils/ptr"
)

func TestRevisionOfTheLevelExempt(t *testing.T) {
	exempt := library.MandatoryPriorityLevelConfigurationExempt
	limited := newLevel(flowcontrolv1.PriorityLevelConfigurationNameExempt, 5).Spec
	users := *exempt.Spec.DeepCopy()
	users.Exempt = &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)}
	changed := users
	changed.Type, changed.Limited = limited.Type, limited.Limited
	absent := flowcontrolv1.PriorityLevelConfigurationSpec{Type: flowcontrolv1.PriorityLevelEnablementExempt}
	for name, c := range map[string][2]flowcontrolv1.PriorityLevelConfigurationSpec{
		"shares and lending set by the user stay": {users, users},
		"they stay while the rest is restored":    {changed, users},
		"absent shares and lending are restored":  {absent, exempt.Spec},
		"a limited level is made exempt again":    {limited, exempt.Spec},
	} {
		t.Run(name, func(t *testing.T) {
			stored := withAutoUpdate(newLevel(flowcontrolv1.PriorityLevelConfigurationNameExempt, 0), "true")
			stored.Spec = c[0]
			got := revise(mandatory, stored, exempt, restorePriorityLevel)
			require.Equal(t, c[1], got.object.Spec)
		})
	}
	t.Run("spec.exempt of another level is restored", func(t *testing.T) {
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
		a := newAPI(t)
		k := flowSchemas(a.FlowcontrolV1().FlowSchemas(), a.informers().FlowSchemas(), []*flowcontrolv1.FlowSchema{brief}, nil)
		got := revise(mandatory, withAutoUpdate(newSchema("s", "system", 1000), "true"), k.mandatory[0], k.restore)
		require.False(t, got.needed())
		require.Zero(t, brief.Spec.MatchingPrecedence, "the library's object is unchanged")
	})
	t.Run("of a PriorityLevelConfiguration", func(t *testing.T) {
		brief := newLevel("l", 30)
		brief.Spec.Limited.NominalConcurrencyShares = nil
		a := newAPI(t)
		k := priorityLevels(a.FlowcontrolV1().PriorityLevelConfigurations(), a.informers().PriorityLevelConfigurations(), nil, []*flowcontrolv1.PriorityLevelConfiguration{brief})
		got := revise(suggested, withAutoUpdate(newLevel("l", 30), "true"), k.suggested[0], k.restore)
		require.False(t, got.needed())
		require.Nil(t, brief.Spec.Limited.NominalConcurrencyShares, "the library's object is unchanged")
	})
	t.Run("an empty list equals none, as in protobuf", func(t *testing.T) {
		builtIn := newSchema("s", "system", 100)
		builtIn.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{}
		stored := withAutoUpdate(newSchema("s", "system", 100), "true")
		require.False(t, revise(mandatory, stored, builtIn, restoreFlowSchema).needed())
	})
}
