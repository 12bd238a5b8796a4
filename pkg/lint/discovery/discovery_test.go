package discovery

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestKindsAreThoseOfTheClient compares kinds and plurals with client-go's. A test with a
// kube-apiserver, in kubectl-apf/e2e/agreement, compares all columns.
func TestKindsAreThoseOfTheClient(t *testing.T) {
	other := []string{"apiextensions.k8s.io", "apiregistration.k8s.io", "metrics.k8s.io"}
	ofSomeReleases := []string{"StorageVersionMigration", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "VolumeAttributesClass", "DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"}
	for _, list := range BuiltIn() {
		version, err := schema.ParseGroupVersion(list.GroupVersion)
		require.NoError(t, err)
		if slices.Contains(other, version.Group) {
			continue
		}
		for _, r := range list.APIResources {
			if strings.Contains(r.Name, "/") {
				continue
			}
			plural, singular := meta.UnsafeGuessKindToResource(version.WithKind(r.Kind))
			assert.Equal(t, plural.Resource, r.Name)
			assert.Equal(t, singular.Resource, r.SingularName)
			if !slices.Contains(ofSomeReleases, r.Kind) {
				assert.True(t, scheme.Scheme.Recognizes(version.WithKind(r.Kind)), "%s %s", version, r.Kind)
			}
		}
	}
}

func TestSubresourcesFollowTheirResource(t *testing.T) {
	for _, list := range BuiltIn() {
		var resource metav1.APIResource
		for _, r := range list.APIResources {
			name, _, isSub := strings.Cut(r.Name, "/")
			if !isSub {
				resource = r
			}
			assert.Equal(t, resource.Name, name)
			assert.Equal(t, resource.Namespaced, r.Namespaced)
			assert.NotEmpty(t, r.Verbs)
		}
	}
	assert.Subset(t, Subresources(), []string{"status", "scale", "log", "exec", "eviction"})
}
