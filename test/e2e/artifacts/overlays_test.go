// Package artifacts tests the files of artifacts/ as what they are: input of
// kubectl and of a real kube-apiserver, and flags of the server. Whether what
// they deploy works is what test/e2e/registration tests.
package artifacts

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// namespace is where everything goes.
const namespace = "flowcontrol-system"

// folder is the path of a folder below artifacts/.
func folder(t *testing.T, name string) string {
	t.Helper()
	root, err := binaries.Root()
	require.NoError(t, err)
	return filepath.Join(root, "artifacts", filepath.FromSlash(name))
}

// overlays are the folders that hold a whole deployment, from artifacts/.
func overlays(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir(folder(t, "overlays"))
	require.NoError(t, err)
	names := []string{""}
	for _, entry := range entries {
		if name := "overlays/" + entry.Name(); !changesRegistration(name) {
			names = append(names, name)
		}
	}
	require.Greater(t, len(names), 3)
	return names
}

// changesRegistration tells whether an overlay is for a deployment that is there.
func changesRegistration(overlay string) bool { return strings.HasSuffix(overlay, "-v1") }

// render returns the objects that kubectl makes of a folder.
func render(t *testing.T, name string) []*unstructured.Unstructured {
	t.Helper()
	rendered := harness.NewKubectl(t, "").Run(t, "kustomize", folder(t, name))
	decoder := yaml.NewYAMLOrJSONDecoder(strings.NewReader(rendered), 4096)
	var objects []*unstructured.Unstructured
	for {
		object := &unstructured.Unstructured{}
		err := decoder.Decode(&object.Object)
		if errors.Is(err, io.EOF) {
			require.NotEmpty(t, objects)
			return objects
		}
		require.NoError(t, err)
		objects = append(objects, object)
	}
}

// find returns the one object of a kind and name, converted to T.
func find[T any](t *testing.T, objects []*unstructured.Unstructured, kind, name string) *T {
	t.Helper()
	var found *T
	for _, object := range objects {
		if object.GetKind() == kind && object.GetName() == name {
			require.Nil(t, found, "there are two: %s %s", kind, name)
			found = new(T)
			require.NoError(t, runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(object.Object, found, true))
		}
	}
	require.NotNil(t, found, "%s %s", kind, name)
	return found
}

// server returns the Deployment of the server.
func server(t *testing.T, objects []*unstructured.Unstructured) *appsv1.Deployment {
	t.Helper()
	return find[appsv1.Deployment](t, objects, "Deployment", "flowcontrol-apiserver")
}
