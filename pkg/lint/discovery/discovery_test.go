package discovery

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/client-go/kubernetes/scheme"
)

// TestKindsAreThoseOfTheClient compares kinds and plurals with client-go's. A test with a
// kube-apiserver, in kubectl-apf/e2e/agreement, compares all columns.
func TestKindsAreThoseOfTheClient(t *testing.T) {
	other := []string{"apiextensions.k8s.io", "apiregistration.k8s.io", "metrics.k8s.io"}
	ofSomeReleases := []string{"StorageVersionMigration", "MutatingAdmissionPolicy", "MutatingAdmissionPolicyBinding", "VolumeAttributesClass", "DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"}
	for _, r := range BuiltIn() {
		if slices.Contains(other, r.Group) {
			continue
		}
		kind := r.GroupVersion().WithKind(r.Kind)
		plural, singular := meta.UnsafeGuessKindToResource(kind)
		assert.Equal(t, plural, r.GroupVersionResource)
		assert.Equal(t, singular.Resource, strings.ToLower(r.Kind))
		if !slices.Contains(ofSomeReleases, r.Kind) {
			assert.True(t, scheme.Scheme.Recognizes(kind), "%s", kind)
		}
	}
	assert.Subset(t, Subresources(), []string{"status", "scale", "log", "exec", "eviction"})
}
