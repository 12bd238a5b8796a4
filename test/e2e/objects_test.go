package e2e

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/generated/clientset/versioned/scheme"
)

// newSchema returns a FlowSchema for the requests of one user, named as the schema.
func newSchema(name, level string) *flowcontrolv1.FlowSchema {
	return &flowcontrolv1.FlowSchema{
		TypeMeta:   metav1.TypeMeta{APIVersion: "flowcontrol.apiserver.k8s.io/v1", Kind: "FlowSchema"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: level},
			MatchingPrecedence:         500,
			DistinguisherMethod:        &flowcontrolv1.FlowDistinguisherMethod{Type: flowcontrolv1.FlowDistinguisherMethodByUserType},
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: name}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, ClusterScope: true, Namespaces: []string{"*"},
				}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"*"}, NonResourceURLs: []string{"*"}}},
			}},
		},
	}
}

// newLevel returns a level that rejects requests beyond its shares.
func newLevel(name string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "flowcontrol.apiserver.k8s.io/v1", Kind: "PriorityLevelConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: new(shares),
				LimitResponse:            flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
				LendablePercent:          new(int32(0)),
				BorrowingLimitPercent:    new(int32(0)),
			},
		},
	}
}

func (s *site) createSchema(t *testing.T, schema *flowcontrolv1.FlowSchema) *flowcontrolv1.FlowSchema {
	t.Helper()
	created, err := s.schemas().Create(t.Context(), schema, metav1.CreateOptions{})
	require.NoError(t, err)
	return created
}

func (s *site) createLevel(t *testing.T, level *flowcontrolv1.PriorityLevelConfiguration) *flowcontrolv1.PriorityLevelConfiguration {
	t.Helper()
	created, err := s.levels().Create(t.Context(), level, metav1.CreateOptions{})
	require.NoError(t, err)
	return created
}

func toJSON(t *testing.T, object any) string {
	t.Helper()
	text, err := json.Marshal(object)
	require.NoError(t, err)
	return string(text)
}

// createLabelled creates count schemas NAME-0, NAME-1, ... with the label
// set=NAME and returns the last.
func (s *site) createLabelled(t *testing.T, name string, count int) *flowcontrolv1.FlowSchema {
	t.Helper()
	var last *flowcontrolv1.FlowSchema
	for i := range count {
		schema := newSchema(fmt.Sprintf("%s-%d", name, i), "catch-all")
		schema.Labels = map[string]string{"set": name}
		last = s.createSchema(t, schema)
	}
	return last
}

// patchSchema merges a change into a schema. It does not conflict with status
// writes of the engine.
func (s *site) patchSchema(t *testing.T, name string, change any) *flowcontrolv1.FlowSchema {
	t.Helper()
	patched, err := s.schemas().Patch(t.Context(), name, types.MergePatchType, []byte(toJSON(t, change)), metav1.PatchOptions{})
	require.NoError(t, err)
	return patched
}

// toProtobuf encodes an object in its storage format.
func toProtobuf(t *testing.T, object runtime.Object) string {
	t.Helper()
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeProtobuf)
	require.True(t, ok)
	content, err := runtime.Encode(scheme.Codecs.EncoderForVersion(info.Serializer, flowcontrolv1.SchemeGroupVersion), object)
	require.NoError(t, err)
	return string(content)
}
