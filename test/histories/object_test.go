package histories

import (
	"testing"

	"github.com/stretchr/testify/require"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	flowcontrolv1beta3 "k8s.io/api/flowcontrol/v1beta3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func level(version string, shares int32) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "level", ResourceVersion: version, Labels: map[string]string{"set": "a"}},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type:    flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: &shares},
		},
	}
}

func TestContentIsAllButTheVersions(t *testing.T) {
	one, err := ObjectOf(level("7", 3))
	require.NoError(t, err)
	require.EqualValues(t, 7, one.Version)
	require.Equal(t, "a", one.Labels["set"])

	later, err := ObjectOf(level("8", 3))
	require.NoError(t, err)
	require.Equal(t, one.Content, later.Content)

	other, err := ObjectOf(level("7", 4))
	require.NoError(t, err)
	require.NotEqual(t, one.Content, other.Content)

	old, err := ObjectOf(&flowcontrolv1beta3.PriorityLevelConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: "flowcontrol.apiserver.k8s.io/v1beta3", Kind: "PriorityLevelConfiguration"},
		ObjectMeta: level("7", 3).ObjectMeta,
		Spec: flowcontrolv1beta3.PriorityLevelConfigurationSpec{
			Type:    flowcontrolv1beta3.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1beta3.LimitedPriorityLevelConfiguration{NominalConcurrencyShares: 3},
		},
	})
	require.NoError(t, err)
	require.Equal(t, one.Content, old.Content, "v1beta3 says the same otherwise")
}

func TestWhatHasNoVersionIsAnError(t *testing.T) {
	_, err := ObjectOf(level("", 3))
	require.ErrorContains(t, err, "resourceVersion")
	_, err = EventOf(watch.Event{Type: watch.Bookmark, Object: level("x", 0)})
	require.ErrorContains(t, err, "bookmark")
	_, _, err = ListOf(&flowcontrolv1.FlowSchemaList{})
	require.ErrorContains(t, err, "list")
	_, err = ObjectOf(&metav1.Status{})
	require.Error(t, err)
}
