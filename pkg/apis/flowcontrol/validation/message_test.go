package validation_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
	"k8s.io/utils/ptr"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/validation"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/gosyntax"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/objects"
)

// TestMessagesSayWhatIsValid: the verdicts themselves are compared with k8s.io/kubernetes in test/parity.
func TestMessagesSayWhatIsValid(t *testing.T) {
	schema := validFlowSchema()
	schema.Finalizers = []string{"hold"}
	schema.Spec = flowcontrol.FlowSchemaSpec{
		MatchingPrecedence:  1,
		DistinguisherMethod: &flowcontrol.FlowDistinguisherMethod{},
		Rules: []flowcontrol.PolicyRulesWithSubjects{{}, {
			Subjects:         []flowcontrol.Subject{{}, {Kind: "User", Group: &flowcontrol.GroupSubject{}}, {Kind: "ServiceAccount", ServiceAccount: &flowcontrol.ServiceAccountSubject{}}},
			ResourceRules:    []flowcontrol.ResourcePolicyRule{{}, {Verbs: []string{"*", "*"}}},
			NonResourceRules: []flowcontrol.NonResourcePolicyRule{{NonResourceURLs: []string{"", "a", "/ ", "//", "/a*", "/*/*"}}},
		}},
	}
	for _, err := range append(validation.ValidateFlowSchema(schema), validation.ValidatePriorityLevelConfiguration(invalidInEachField())...) {
		says := strings.HasPrefix(err.Detail, "must ") || strings.HasPrefix(err.Detail, "may only ") || strings.HasPrefix(err.Detail, "supported values: ")
		if !says || strings.ContainsAny(err.Detail, "<>=") || strings.Contains(err.Detail, "should") {
			t.Errorf("%s: %q is not worded by the API conventions", err.Field, err.Detail)
		}
	}
}

// TestMessagesOfRandomObjectsHaveNoGoSyntax also requires the same text for equal
// objects at other addresses. Two of three objects have the name of a mandatory one.
func TestMessagesOfRandomObjectsHaveNoGoSyntax(t *testing.T) {
	scheme := install.NewScheme()
	mandatoryNames := []string{flowcontrolv1.FlowSchemaNameExempt, flowcontrolv1.FlowSchemaNameCatchAll, "other"}
	for i := range uint64(1000) {
		g := objects.New(1, i, 0.3)
		schema, level := &flowcontrol.FlowSchema{}, &flowcontrol.PriorityLevelConfiguration{}
		require.NoError(t, scheme.Convert(g.FlowSchema(), schema, nil))
		require.NoError(t, scheme.Convert(g.Level(), level, nil))
		schema.Name, level.Name = mandatoryNames[i%3], mandatoryNames[i%3]
		texts := errorTexts(t, append(validation.ValidateFlowSchema(schema), validation.ValidatePriorityLevelConfiguration(level)...))
		again := append(validation.ValidateFlowSchema(schema.DeepCopy()), validation.ValidatePriorityLevelConfiguration(level.DeepCopy())...)
		require.ElementsMatch(t, texts, errorTexts(t, again), "the text of the same errors")
	}
}

func errorTexts(t *testing.T, errs field.ErrorList) []string {
	t.Helper()
	var texts []string
	for _, err := range errs {
		require.Empty(t, gosyntax.Find(err.Error()), "%s", err)
		texts = append(texts, err.Error())
	}
	return texts
}

func TestAMessageNamesWhatDiffers(t *testing.T) {
	mandatorySchema := func(change func(*flowcontrol.FlowSchemaSpec)) field.ErrorList {
		schema := builtIn(t, &flowcontrol.FlowSchema{}, bootstrap.MandatoryFlowSchemaCatchAll.DeepCopy())
		change(&schema.Spec)
		return validation.ValidateFlowSchema(schema)
	}
	mandatoryLevel := func(level *flowcontrolv1.PriorityLevelConfiguration, change func(*flowcontrol.PriorityLevelConfigurationSpec)) field.ErrorList {
		internal := builtIn(t, &flowcontrol.PriorityLevelConfiguration{}, level.DeepCopy())
		change(&internal.Spec)
		return validation.ValidatePriorityLevelConfiguration(internal)
	}
	schemaWith := func(change func(*flowcontrol.FlowSchema)) field.ErrorList {
		schema := validFlowSchema()
		change(schema)
		return validation.ValidateFlowSchema(schema)
	}
	catchAll := bootstrap.MandatoryPriorityLevelConfigurationCatchAll
	for name, c := range map[string]struct {
		errs field.ErrorList
		want string
	}{
		"a number": {
			mandatoryLevel(catchAll, func(s *flowcontrol.PriorityLevelConfigurationSpec) {
				s.Limited.NominalConcurrencyShares = ptr.To[int32](6)
			}),
			`spec: Invalid value: {"limited.nominalConcurrencyShares":6}: must equal the built-in spec of the mandatory level 'catch-all': {"limited.nominalConcurrencyShares":5}`,
		},
		"a field that the built-in spec does not set": {
			mandatoryLevel(catchAll, func(s *flowcontrol.PriorityLevelConfigurationSpec) {
				s.Limited.BorrowingLimitPercent = ptr.To[int32](0)
			}),
			`spec: Invalid value: {"limited.borrowingLimitPercent":0}: must equal the built-in spec of the mandatory level 'catch-all': {"limited.borrowingLimitPercent":null}`,
		},
		"an item of a list, and a field that is missing": {
			mandatorySchema(func(s *flowcontrol.FlowSchemaSpec) {
				s.Rules[0].Subjects[1].Group.Name = "system:nodes"
				s.DistinguisherMethod = nil
			}),
			`spec: Invalid value: {"distinguisherMethod":null,"rules[0].subjects[1].group.name":"system:nodes"}: must equal the built-in spec of the mandatory schema 'catch-all': {"distinguisherMethod":{"type":"ByUser"},"rules[0].subjects[1].group.name":"system:authenticated"}`,
		},
		"more fields than a message names": {
			mandatorySchema(func(s *flowcontrol.FlowSchemaSpec) {
				s.Rules = append(s.Rules, make([]flowcontrol.PolicyRulesWithSubjects, 6)...)
				for i := range s.Rules {
					s.Rules[i] = s.Rules[0]
				}
			}),
			`, and 2 more`,
		},
		"one of several verbs": {
			schemaWith(func(s *flowcontrol.FlowSchema) {
				s.Spec.Rules[0].ResourceRules[0].Verbs = []string{"get", "GET", "post"}
			}),
			`spec.rules[0].resourceRules[0].verbs: Unsupported value: "GET", "post": supported values: "create", "delete"`,
		},
		"a wildcard beside others": {
			schemaWith(func(s *flowcontrol.FlowSchema) {
				s.Spec.Rules[0].ResourceRules[0].APIGroups = []string{"", "*"}
			}),
			`spec.rules[0].resourceRules[0].apiGroups: Invalid value: ["","*"]: must contain only '*' when '*' is present`,
		},
		"a distinguisher": {
			schemaWith(func(s *flowcontrol.FlowSchema) { s.Spec.DistinguisherMethod.Type = "ByX" }),
			`spec.distinguisherMethod.type: Unsupported value: "ByX": supported values: "ByNamespace", "ByUser"`,
		},
		"owners, which the library validates": {
			schemaWith(func(s *flowcontrol.FlowSchema) {
				owner := metav1.OwnerReference{APIVersion: "v1", Kind: "A", Name: "a", UID: "1", Controller: new(true)}
				s.OwnerReferences = []metav1.OwnerReference{owner, owner}
			}),
			`metadata.ownerReferences: Invalid value: [{"apiVersion":"v1","kind":"A","name":"a","uid":"1","controller":true},{`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Len(t, c.errs, 1)
			require.Contains(t, c.errs[0].Error(), c.want)
		})
	}
}
