package install_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apis/flowcontrol/install"
)

func TestVersions(t *testing.T) {
	scheme := install.NewScheme()
	var got []string
	for _, gv := range scheme.PrioritizedVersionsForGroup(flowcontrol.GroupName) {
		got = append(got, gv.String())
	}
	if diff := cmp.Diff([]string{"flowcontrol.apiserver.k8s.io/v1", "flowcontrol.apiserver.k8s.io/v1beta3"}, got); diff != "" {
		t.Errorf("versions, the preferred one first (-want +got):\n%s", diff)
	}
}

func TestMetadataNameIsTheOnlyFieldSelector(t *testing.T) {
	scheme := install.NewScheme()
	for _, version := range []schema.GroupVersion{flowcontrolv1.SchemeGroupVersion, flowcontrolv1beta3.SchemeGroupVersion} {
		for _, kind := range []string{"FlowSchema", "PriorityLevelConfiguration"} {
			label, value, err := scheme.ConvertFieldLabel(version.WithKind(kind), "metadata.name", "some-name")
			require.NoError(t, err)
			require.Equal(t, []string{"metadata.name", "some-name"}, []string{label, value})
			_, _, err = scheme.ConvertFieldLabel(version.WithKind(kind), "metadata.namespace", "default")
			require.ErrorContains(t, err, `only "metadata.name"`)
		}
	}
}
