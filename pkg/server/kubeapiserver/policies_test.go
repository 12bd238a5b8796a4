package kubeapiserver

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/admission/plugin/policy/generic"
	"k8s.io/apiserver/pkg/admission/plugin/policy/matching"
	"k8s.io/apiserver/pkg/admission/plugin/policy/validating"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
)

// interfaces are what the library asks about resources of this server: both versions of each
// are equivalent.
type interfaces struct {
	admission.ObjectInterfaces
	mapper runtime.EquivalentResourceRegistry
}

func (i interfaces) GetEquivalentResourceMapper() runtime.EquivalentResourceMapper { return i.mapper }

// served are the requests that admission sees here.
func served() (attributes []admission.Attributes, objects interfaces) {
	objects.mapper = runtime.NewEquivalentResourceRegistry()
	for resource, kind := range map[string]string{"flowschemas": "FlowSchema", "prioritylevelconfigurations": "PriorityLevelConfiguration"} {
		for _, version := range []string{"v1", "v1beta3"} {
			group := schema.GroupVersion{Group: flowcontrolv1.GroupName, Version: version}
			for _, subresource := range []string{"", "status"} {
				objects.mapper.RegisterKindFor(group.WithResource(resource), subresource, group.WithKind(kind))
				for _, operation := range []admission.Operation{admission.Create, admission.Update, admission.Delete} {
					attributes = append(attributes, admission.NewAttributesRecord(&metav1.PartialObjectMetadata{}, &metav1.PartialObjectMetadata{},
						group.WithKind(kind), "", "team-a", group.WithResource(resource), subresource, operation, nil, false, nil))
				}
			}
		}
	}
	return attributes, objects
}

// TestAPolicyThatMatchesHereIsKept compares random policies with the library's matcher: what
// matches a request keeps all that it says.
func TestAPolicyThatMatchesHereIsKept(t *testing.T) {
	random := rand.New(rand.NewPCG(lane.Seed(t), 0))
	matcher := generic.NewPolicyMatcher(matching.NewMatcher(nil, nil))
	attributes, objects := served()
	matched, forgotten := 0, 0
	for range lane.Pick(2000, 100_000) {
		policy := randomPolicy(random)
		kept, err := withoutOthers(policy.DeepCopy())
		require.NoError(t, err)
		isKept := kept.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec.Validations != nil
		if !isKept {
			forgotten++
		}
		for _, request := range attributes {
			matches, _, _, err := matcher.DefinitionMatches(request, objects, validating.NewValidatingAdmissionPolicyAccessor(policy))
			require.NoError(t, err)
			if matches {
				matched++
				require.True(t, isKept, "%+v", policy.Spec.MatchConstraints)
				require.Equal(t, policy.Spec, kept.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec)
			}
			forgottenMatches, _, _, err := matcher.DefinitionMatches(request, objects, validating.NewValidatingAdmissionPolicyAccessor(kept.(*admissionregistrationv1.ValidatingAdmissionPolicy)))
			require.NoError(t, err)
			require.Equal(t, matches, forgottenMatches)
		}
	}
	assert.Positive(t, matched)
	assert.Positive(t, forgotten)
}

func randomPolicy(random *rand.Rand) *admissionregistrationv1.ValidatingAdmissionPolicy {
	some := func(of ...string) (chosen []string) {
		for _, one := range of {
			if random.IntN(len(of)) == 0 {
				chosen = append(chosen, one)
			}
		}
		return append(chosen, of[random.IntN(len(of))])
	}
	rules := func(count int) (all []admissionregistrationv1.NamedRuleWithOperations) {
		for range count {
			rule := admissionregistrationv1.NamedRuleWithOperations{}
			rule.Operations = []admissionregistrationv1.OperationType{admissionregistrationv1.OperationType(some("*", "CREATE", "UPDATE", "DELETE")[0])}
			rule.APIGroups = some("", "apps", "*", flowcontrolv1.GroupName)
			rule.APIVersions = some("*", "v1", "v1beta3")
			rule.Resources = some("*", "*/*", "pods", "flowschemas", "flowschemas/status", "flowschemas/*", "*/status", "prioritylevelconfigurations")
			if random.IntN(4) == 0 {
				rule.ResourceNames = some("team-a", "team-b")
			}
			all = append(all, rule)
		}
		return all
	}
	policies := []admissionregistrationv1.MatchPolicyType{admissionregistrationv1.Exact, admissionregistrationv1.Equivalent}
	return &admissionregistrationv1.ValidatingAdmissionPolicy{Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: &admissionregistrationv1.MatchResources{
			NamespaceSelector: &metav1.LabelSelector{}, ObjectSelector: &metav1.LabelSelector{},
			ResourceRules: rules(random.IntN(3)), ExcludeResourceRules: rules(random.IntN(8) / 7), MatchPolicy: &policies[random.IntN(2)],
		},
		ParamKind:   &admissionregistrationv1.ParamKind{APIVersion: "v1", Kind: "ConfigMap"},
		Validations: []admissionregistrationv1.Validation{{Expression: "true"}},
	}}
}

// A policy of the cluster may have no constraints while it is changed by an old client, and
// other objects pass the transform as they are.
func TestWhatIsNoPolicyOfOthersIsKept(t *testing.T) {
	policy := &admissionregistrationv1.ValidatingAdmissionPolicy{}
	policy.Spec.Validations = []admissionregistrationv1.Validation{{Expression: "true"}}
	kept, err := withoutOthers(policy)
	require.NoError(t, err)
	assert.Len(t, kept.(*admissionregistrationv1.ValidatingAdmissionPolicy).Spec.Validations, 1)
	other, err := withoutOthers("another")
	require.NoError(t, err)
	assert.Equal(t, "another", other)
}
