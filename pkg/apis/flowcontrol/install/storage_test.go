package install_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1beta1 "k8s.io/api/flowcontrol/v1beta1"
	flowcontrolv1beta2 "k8s.io/api/flowcontrol/v1beta2"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

// An annotation of v1beta3 has no meaning in earlier versions: no shares are the default there, and it stays.
func TestLevelsOfEarlierVersionsAreReadFromAStore(t *testing.T) {
	metadata := metav1.ObjectMeta{Name: "old", Annotations: map[string]string{
		"example.com/a": "b", "flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares": "",
	}}
	want := &flowcontrol.PriorityLevelConfiguration{ObjectMeta: metadata, Spec: flowcontrol.PriorityLevelConfigurationSpec{
		Type: flowcontrol.PriorityLevelEnablementLimited,
		Limited: &flowcontrol.LimitedPriorityLevelConfiguration{
			NominalConcurrencyShares: new(int32(30)), LendablePercent: new(int32(0)),
			LimitResponse: flowcontrol.LimitResponse{Type: flowcontrol.LimitResponseTypeReject},
		},
	}}
	for _, stored := range []any{
		&flowcontrolv1beta1.PriorityLevelConfiguration{ObjectMeta: metadata, Spec: flowcontrolv1beta1.PriorityLevelConfigurationSpec{
			Type:    flowcontrolv1beta1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1beta1.LimitedPriorityLevelConfiguration{LimitResponse: flowcontrolv1beta1.LimitResponse{Type: flowcontrolv1beta1.LimitResponseTypeReject}},
		}},
		&flowcontrolv1beta2.PriorityLevelConfiguration{ObjectMeta: metadata, Spec: flowcontrolv1beta2.PriorityLevelConfigurationSpec{
			Type:    flowcontrolv1beta2.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1beta2.LimitedPriorityLevelConfiguration{LimitResponse: flowcontrolv1beta2.LimitResponse{Type: flowcontrolv1beta2.LimitResponseTypeReject}},
		}},
	} {
		read := &flowcontrol.PriorityLevelConfiguration{}
		require.NoError(t, install.NewStorageScheme().Convert(stored, read, nil))
		require.Equal(t, want, read)
	}
}

func TestTheNameIsTheOnlyFieldToSelectBy(t *testing.T) {
	for _, version := range []string{"v1", "v1beta3"} {
		for _, kind := range []string{"FlowSchema", "PriorityLevelConfiguration"} {
			is := schema.GroupVersionKind{Group: flowcontrol.GroupName, Version: version, Kind: kind}
			label, value, err := install.NewScheme().ConvertFieldLabel(is, "metadata.name", "a")
			require.NoError(t, err)
			require.Equal(t, []string{"metadata.name", "a"}, []string{label, value})
			_, _, err = install.NewScheme().ConvertFieldLabel(is, "metadata.namespace", "a")
			require.EqualError(t, err, `"metadata.namespace" is not a known field selector: only "metadata.name" is`)
		}
	}
}
