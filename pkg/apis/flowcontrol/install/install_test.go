package install

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestObjectsOfEitherVersionAreSelectedByTheirNameAlone(t *testing.T) {
	scheme := NewScheme()
	for _, version := range []schema.GroupVersion{flowcontrolv1.SchemeGroupVersion, flowcontrolv1beta3.SchemeGroupVersion} {
		for _, kind := range []string{"FlowSchema", "PriorityLevelConfiguration"} {
			label, value, err := scheme.ConvertFieldLabel(version.WithKind(kind), "metadata.name", "exempt")
			require.NoError(t, err)
			require.Equal(t, []string{"metadata.name", "exempt"}, []string{label, value})
			_, _, err = scheme.ConvertFieldLabel(version.WithKind(kind), "metadata.namespace", "default")
			require.ErrorContains(t, err, `only "metadata.name"`)
		}
	}
}
