package options

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

// The objects of Kubernetes are the same in JSON of both versions.
func TestObjectsOfV1beta3AreThoseOfV1(t *testing.T) {
	var schemas flowcontrolv1.FlowSchemaList
	for _, schema := range slices.Concat(bootstrap.MandatoryFlowSchemas, bootstrap.SuggestedFlowSchemas) {
		assertAsV1(t, schema, &flowcontrolv1beta3.FlowSchema{})
		schemas.Items = append(schemas.Items, *schema)
	}
	assertAsV1(t, &schemas, &flowcontrolv1beta3.FlowSchemaList{})
	var levels flowcontrolv1.PriorityLevelConfigurationList
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		assertAsV1(t, level, &flowcontrolv1beta3.PriorityLevelConfiguration{})
		levels.Items = append(levels.Items, *level)
	}
	assertAsV1(t, &levels, &flowcontrolv1beta3.PriorityLevelConfigurationList{})
}

// assertAsV1 decodes the JSON of want into an object of v1beta3, and expects that asV1 returns want.
func assertAsV1(t *testing.T, want, v1beta3 runtime.Object) {
	t.Helper()
	text, err := json.Marshal(want)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, v1beta3))
	got, err := asV1(v1beta3)
	require.NoError(t, err)
	assert.True(t, equality.Semantic.DeepEqual(want, got), "%s\n%v", text, got)
}

func TestNoSharesOfV1beta3AreTheDefaultAlsoInAList(t *testing.T) {
	var list flowcontrolv1beta3.PriorityLevelConfigurationList
	for _, annotations := range []map[string]string{nil, {flowcontrolv1beta3.PriorityLevelPreserveZeroConcurrencySharesKey: ""}} {
		level := flowcontrolv1beta3.PriorityLevelConfiguration{Spec: flowcontrolv1beta3.PriorityLevelConfigurationSpec{
			Limited: &flowcontrolv1beta3.LimitedPriorityLevelConfiguration{},
		}}
		level.Annotations = annotations
		list.Items = append(list.Items, level)
	}
	object, err := asV1(&list)
	require.NoError(t, err)
	levels := object.(*flowcontrolv1.PriorityLevelConfigurationList).Items
	assert.Nil(t, levels[0].Spec.Limited.NominalConcurrencyShares)
	assert.Equal(t, new(int32(0)), levels[1].Spec.Limited.NominalConcurrencyShares, "the annotation keeps zero")
}
