package flowcontrol

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	genericapirequest "k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/randfill"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/lane"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
	conversion "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/v1"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// manifests returns random objects as files have them: any metadata, and a specification
// that may be invalid.
func manifests(seed uint64, count int) []*flowcontrolv1.FlowSchema {
	random := rand.New(rand.NewPCG(seed, 1))
	filler := randfill.NewWithSeed(int64(seed)).NilChance(0.3).NumElements(0, 2)
	var all []*flowcontrolv1.FlowSchema
	for range count {
		schema := &flowcontrolv1.FlowSchema{}
		filler.Fill(&schema.ObjectMeta)
		schema.Name = []string{"a", "a.b", "A", "a/b", "catch-all", strings.Repeat("a", 254), "b", "c", "d"}[random.IntN(9)]
		schema.Namespace = []string{"", "shop", "A b"}[random.IntN(3)]
		if random.IntN(3) > 0 { // otherwise nearly all are rejected
			schema.Labels, schema.Annotations, schema.Finalizers, schema.OwnerReferences = nil, map[string]string{"a": "b"}, nil, nil
		}
		schema.GenerateName = []string{"", "a-", "A"}[random.IntN(3)]
		schema.UID = types.UID([]string{"", "7"}[random.IntN(2)])
		filler.Fill(&schema.Status)
		if random.IntN(2) == 0 {
			filler.Fill(&schema.Spec)
		} else {
			schema.Spec.PriorityLevelConfiguration.Name, schema.Spec.MatchingPrecedence = "exempt", random.Int32N(11000)-100
			schema.Spec.Rules = []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects:         []flowcontrolv1.Subject{{Kind: "User", User: &flowcontrolv1.UserSubject{Name: "alice"}}},
				NonResourceRules: []flowcontrolv1.NonResourcePolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/version"}}},
			}}
		}
		all = append(all, schema)
	}
	return all
}

// rejections returns the fields that make a create of the object fail, as the store and the
// handlers of k8s.io/apiserver do it.
func rejections(t *testing.T, schema *flowcontrolv1.FlowSchema) []string {
	t.Helper()
	schema = schema.DeepCopy()
	conversion.SetObjectDefaults_FlowSchema(schema)
	var internal flowcontrol.FlowSchema
	require.NoError(t, conversion.Convert_v1_FlowSchema_To_flowcontrol_FlowSchema(schema, &internal, nil))
	internal.TypeMeta = metav1.TypeMeta{}
	require.NoError(t, rest.EnsureObjectNamespaceMatchesRequestNamespace("", &internal))
	internal.ManagedFields = nil // the field manager decodes them, and drops what it cannot decode
	rest.FillObjectMetaSystemFields(&internal)
	forSpec, _ := newStrategies(flowSchemas(clock.RealClock{}, nil), install.NewScheme(), rest.DeleteDependents)
	err := rest.BeforeCreate(forSpec, genericapirequest.WithNamespace(t.Context(), metav1.NamespaceNone), &internal)
	var status *apierrors.StatusError
	if !errors.As(err, &status) {
		require.NoError(t, err)
		return nil
	}
	var fields []string
	for _, cause := range status.ErrStatus.Details.Causes {
		fields = append(fields, cause.Field)
	}
	return fields
}

// TestLintRejectsWhatACreateRejects compares FC405 with what a create does. A field with another
// finding needs none of FC405.
func TestLintRejectsWhatACreateRejects(t *testing.T) {
	rejected, accepted := 0, 0
	for _, schema := range manifests(lane.Seed(t), lane.Pick(2000, 50000)) {
		want := rejections(t, schema)
		var got, others []string
		for _, f := range lint.Check(lint.Bundle{FlowSchemas: []*flowcontrolv1.FlowSchema{schema}, Only: []lint.Object{{Kind: "FlowSchema", Name: schema.Name}}}) {
			if f.Code == lint.InvalidObject {
				got = append(got, f.Field)
			} else {
				others = append(others, f.Field)
			}
		}
		for _, field := range got {
			require.Contains(t, want, field, "%+v", schema)
		}
		for _, field := range want {
			explained := slices.ContainsFunc(others, func(other string) bool { return strings.HasPrefix(other, field) })
			require.True(t, explained || slices.Contains(got, field), "%s is rejected: %+v", field, schema)
		}
		if len(want) > 0 {
			rejected++
		} else {
			accepted++
		}
	}
	assert.Greater(t, rejected, 100)
	assert.Greater(t, accepted, 100)
}
