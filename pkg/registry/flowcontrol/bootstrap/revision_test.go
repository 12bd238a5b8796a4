package bootstrap

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		{"the user's with an invalid annotation, equal: the annotation", suggested, "perhaps", 3, 100, false, true, 100, "false"},
		{"mandatory, equal: nothing", mandatory, "true", 1, 100, false, false, 100, "true"},
		{"mandatory, changed and claimed by the user: both", mandatory, "false", 2, 200, true, true, 100, "true"},
		{"mandatory, claimed by the user: the annotation", mandatory, "false", 2, 100, false, true, 100, "true"},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := withAutoUpdate(newSchema("s", "system", c.precedence), c.annotation)
			stored.Generation, stored.ResourceVersion, stored.UID = c.generation, "7", "u"
			stored.Labels = map[string]string{"team": "blue"}
			stored.Status.Conditions = []flowcontrolv1.FlowSchemaCondition{{Type: "Dangling"}}
			before := stored.DeepCopy()

			got := revise(c.role, stored, builtIn, restoreFlowSchema)

			require.Equal(t, before, stored, "the stored object may be shared")
			require.Equal(t, c.restored, got.restored)
			require.Equal(t, c.annotated, got.annotated)
			require.Equal(t, c.restored || c.annotated, got.needed())
			want := withAutoUpdate(before, c.wantAnnotation)
			want.Spec.MatchingPrecedence = c.wantPrecedence
			require.Equal(t, want, got.object)
		})
	}
}

func TestRevisionOfTheLevelExempt(t *testing.T) {
	exempt := library.MandatoryPriorityLevelConfigurationExempt
	limited := newLevel(flowcontrolv1.PriorityLevelConfigurationNameExempt, 5).Spec
	for _, c := range []struct {
		name         string
		stored, want flowcontrolv1.PriorityLevelConfigurationSpec
	}{
		{"shares and lending set by the user stay",
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:   flowcontrolv1.PriorityLevelEnablementExempt,
				Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			},
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:   flowcontrolv1.PriorityLevelEnablementExempt,
				Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			}},
		{"they stay while the rest is restored",
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:    flowcontrolv1.PriorityLevelEnablementLimited,
				Limited: limited.Limited,
				Exempt:  &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			},
			flowcontrolv1.PriorityLevelConfigurationSpec{
				Type:   flowcontrolv1.PriorityLevelEnablementExempt,
				Exempt: &flowcontrolv1.ExemptPriorityLevelConfiguration{NominalConcurrencyShares: ptr.To[int32](40), LendablePercent: ptr.To[int32](50)},
			}},
		{"absent shares and lending are restored",
			flowcontrolv1.PriorityLevelConfigurationSpec{Type: flowcontrolv1.PriorityLevelEnablementExempt},
			exempt.Spec},
		{"a limited level is made exempt again", limited, exempt.Spec},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := withAutoUpdate(newLevel(flowcontrolv1.PriorityLevelConfigurationNameExempt, 0), "true")
			stored.Spec = c.stored
			got := revise(mandatory, stored, exempt, restorePriorityLevel)
			require.Equal(t, c.want, got.object.Spec)
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

func TestOwnershipOfTheSpec(t *testing.T) {
	for _, c := range []struct {
		name       string
		role       role
		annotation string
		generation int64
		server     bool
	}{
		{"a suggested object with true is the server's", suggested, "true", 1, true},
		{"a suggested object with true is the server's even after changes", suggested, "true", 7, true},
		{"a suggested object with false is the user's", suggested, "false", 7, false},
		{"a suggested object with false is the user's even if never changed", suggested, "false", 1, false},
		{"a suggested object that has no annotation and never changed is the server's", suggested, "absent", 1, true},
		{"a suggested object that has no annotation and has changed is the user's", suggested, "absent", 2, false},
		{"a suggested object that has an invalid annotation and never changed is the server's", suggested, "perhaps", 1, true},
		{"a suggested object that has an invalid annotation and has changed is the user's", suggested, "perhaps", 2, false},
		{"an empty annotation is invalid", suggested, "", 2, false},
		{"other spellings of false are false, as kube-apiserver reads them", suggested, "False", 1, false},
		{"other spellings of true are true, as kube-apiserver reads them", suggested, "1", 2, true},
		{"a mandatory object with true is the server's", mandatory, "true", 7, true},
		{"a mandatory object with false is the server's", mandatory, "false", 7, true},
		{"a mandatory object that has an invalid annotation is the server's", mandatory, "perhaps", 7, true},
		{"a mandatory object that has no annotation is the server's", mandatory, "absent", 7, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := withAutoUpdate(newSchema("s", "l", 1), c.annotation)
			stored.Generation = c.generation
			require.Equal(t, c.server, serverOwns(c.role, stored))
		})
	}
}

func TestObsoleteObjects(t *testing.T) {
	for _, c := range []struct {
		name, annotation string
		builtIn          bool
		terminating      bool
		obsolete         bool
	}{
		{"one with true and is not built in is obsolete", "true", false, false, true},
		{"one with true and is built in is not obsolete", "true", true, false, false},
		{"one with false is not obsolete", "false", false, false, false},
		{"one without annotation is not obsolete", "absent", false, false, false},
		{"one with an invalid annotation is not obsolete", "perhaps", false, false, false},
		{"one that waits for its finalizers is not obsolete", "true", false, true, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			stored := withAutoUpdate(newSchema("s", "l", 1), c.annotation)
			if c.terminating {
				stored.DeletionTimestamp = &metav1.Time{}
			}
			require.Equal(t, c.obsolete, isObsolete(stored, c.builtIn))
		})
	}
}

// Kubernetes issue 107097: the value of the annotation was ignored.
func TestAnnotationNamesTheOwner(t *testing.T) {
	for _, c := range []struct {
		name, before string
		owned        bool
		after        string
		written      bool
	}{
		{"an absent annotation becomes true", "absent", true, "true", true},
		{"an absent annotation becomes false", "absent", false, "false", true},
		{"an invalid value becomes true", "perhaps", true, "true", true},
		{"an invalid value becomes false", "perhaps", false, "false", true},
		{"a wrong value becomes true", "false", true, "true", true},
		{"a wrong value becomes false", "true", false, "false", true},
		{"true stays", "true", true, "true", false},
		{"false stays", "false", false, "false", false},
		{"another spelling of true stays", "TRUE", true, "TRUE", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			object := withAutoUpdate(newSchema("s", "l", 1), c.before)
			require.Equal(t, c.written, annotate(object, c.owned))
			require.Equal(t, c.after, autoUpdateAnnotation(object))
		})
	}
	t.Run("other annotations stay", func(t *testing.T) {
		object := newSchema("s", "l", 1)
		object.Annotations = map[string]string{"example.com/team": "blue"}
		require.True(t, annotate(object, false))
		require.Equal(t, "blue", object.Annotations["example.com/team"])
	})
}
