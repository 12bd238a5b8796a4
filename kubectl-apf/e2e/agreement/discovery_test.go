package agreement_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	builtin "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint/discovery"
)

// requireBuiltIn compares the table of built-in resources with the resources that a kube-apiserver
// serves.
func requireBuiltIn(t *testing.T, lists []*metav1.APIResourceList) {
	t.Helper()
	known := builtin.BuiltIn()
	for _, list := range lists {
		if strings.Contains(list.GroupVersion, "alpha") || strings.Contains(list.GroupVersion, "beta") {
			continue // not served without flags
		}
		for _, want := range list.APIResources {
			name, subresource, isSub := strings.Cut(want.Name, "/")
			at := slices.IndexFunc(known, func(r builtin.Resource) bool {
				return r.GroupVersion().String() == list.GroupVersion && r.Resource == name
			})
			if !assert.GreaterOrEqual(t, at, 0, "%s %s", list.GroupVersion, want.Name) {
				continue
			}
			got := known[at]
			if isSub {
				assert.Contains(t, got.Subresources, subresource, name)
				continue
			}
			assert.Equal(t, []any{want.Kind, want.Namespaced, want.SingularName, want.ShortNames},
				[]any{got.Kind, got.Namespaced, strings.ToLower(got.Kind), got.ShortNames}, want.Name)
		}
	}
}
