package behind

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

func apiServices() schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}
}

func namespaces() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}
}

func configMaps() schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}
}

// schemas returns the resource of FlowSchemas in a version.
func schemas(version string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Group: group, Version: version, Resource: "flowschemas"}
}

// condition returns the condition of a type, empty if the object has none.
func condition(t tester, object *unstructured.Unstructured, kind string) map[string]any {
	t.Helper()
	conditions, _, err := unstructured.NestedSlice(object.Object, "status", "conditions")
	require.NoError(t, err)
	for _, condition := range conditions {
		if fields, ok := condition.(map[string]any); ok && fields["type"] == kind {
			return fields
		}
	}
	return nil
}

// waitCondition waits until an object's condition has a status, and returns its
// message.
func (s *site) waitCondition(t *testing.T, resource schema.GroupVersionResource, name, kind, status string) (message string) {
	t.Helper()
	eventually.Holds(t, fmt.Sprintf("%s of %s %s is %s", kind, resource.Resource, name, status), func(a *eventually.Attempt) {
		object, err := s.dynamic.Resource(resource).Get(a.Context(), name, metav1.GetOptions{})
		require.NoError(a, err)
		found := condition(a, object, kind)
		require.Equal(a, status, found["status"], found)
		message = fmt.Sprint(found["message"])
	})
	return message
}

// waitSays waits until the APIService of a version reports the reason for its
// availability. While the last pod stops, the reason differs.
func (s *site) waitSays(t *testing.T, version, reason string) {
	t.Helper()
	eventually.Holds(t, "the APIService says why", func(a *eventually.Attempt) {
		service, err := s.dynamic.Resource(apiServices()).Get(a.Context(), apiService(version), metav1.GetOptions{})
		require.NoError(a, err)
		found := condition(a, service, "Available")
		require.Equal(a, reason, fmt.Sprintf("%v: %v", found["reason"], found["message"]))
	})
}

// waitGone waits until an object is deleted.
func (s *site) waitGone(t *testing.T, resource schema.GroupVersionResource, namespace, name string) {
	t.Helper()
	eventually.Holds(t, resource.Resource+" "+name+" is gone", func(a *eventually.Attempt) {
		object, err := s.dynamic.Resource(resource).Namespace(namespace).Get(a.Context(), name, metav1.GetOptions{})
		require.True(a, apierrors.IsNotFound(err), "%v %v", err, object)
	})
}
