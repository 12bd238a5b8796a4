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
		at := slices.IndexFunc(known, func(one *metav1.APIResourceList) bool { return one.GroupVersion == list.GroupVersion })
		if !assert.GreaterOrEqual(t, at, 0, list.GroupVersion) {
			continue
		}
		for i := range list.APIResources {
			want := columns(list.APIResources[i])
			same := slices.IndexFunc(known[at].APIResources, func(one metav1.APIResource) bool { return one.Name == want.Name })
			if assert.GreaterOrEqual(t, same, 0, want.Name) {
				assert.Equal(t, want, columns(known[at].APIResources[same]))
			}
		}
	}
}

// columns returns what the table has of a resource or a subresource.
func columns(r metav1.APIResource) metav1.APIResource {
	if strings.Contains(r.Name, "/") {
		out := metav1.APIResource{Name: r.Name, Group: r.Group, Version: r.Version}
		if r.Group != "" {
			out.Kind = r.Kind
		}
		return out
	}
	out := metav1.APIResource{Name: r.Name, Kind: r.Kind, Namespaced: r.Namespaced, SingularName: r.SingularName, ShortNames: r.ShortNames}
	if len(r.Categories) > 0 {
		out.Categories = r.Categories
	}
	return out
}
