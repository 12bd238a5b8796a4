package artifacts

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"sync"

	"errors"
	"io"
	"os"
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

// namespace is the namespace of all objects.
const namespace = "flowcontrol-system"

// folder returns the path of a folder below artifacts/.
func folder(t *testing.T, name string) string {
	t.Helper()
	root, err := complete()
	require.NoError(t, err)
	return filepath.Join(root, "artifacts", name)
}

// complete makes a copy of artifacts/ with what hack/chart.sh makes, and returns where it is.
var complete = sync.OnceValues(func() (string, error) {
	ctx := context.Background()
	root, err := binaries.Root()
	if err != nil {
		return "", err
	}
	kubectl, err := binaries.Kubectl(ctx)
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "fca-artifacts-")
	if err != nil {
		return "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return "", err
	}
	folder := filepath.Join(dir, "artifacts")
	if err := os.CopyFS(folder, os.DirFS(filepath.Join(root, "artifacts"))); err != nil {
		return dir, err
	}
	for _, made := range []string{"chart/files", "monitoring/prometheusrule.yaml"} { // by `make chart`, possibly of other files
		if err := os.RemoveAll(filepath.Join(folder, made)); err != nil {
			return dir, err
		}
	}
	script := exec.CommandContext(ctx, filepath.Join(root, "hack", "chart.sh"), folder)
	script.Env = append(os.Environ(), "KUBECTL="+kubectl)
	if output, err := script.CombinedOutput(); err != nil {
		return dir, fmt.Errorf("hack/chart.sh: %w: %s", err, output)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if dir, err := complete(); err == nil {
		_ = os.RemoveAll(dir) // in the directory of temporary files
	}
	os.Exit(code)
}

// overlays returns the folders that hold a complete deployment, relative to
// artifacts/.
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

// changesRegistration reports whether an overlay changes an existing deployment.
func changesRegistration(overlay string) bool { return strings.HasSuffix(overlay, "-v1") }

// render returns the objects that kubectl makes of a folder.
func render(t *testing.T, name string) []*unstructured.Unstructured {
	t.Helper()
	return decode(t, harness.NewKubectl(t, "").Run(t, "kustomize", folder(t, name)))
}

// decode returns the objects of YAML documents.
func decode(t *testing.T, rendered string) []*unstructured.Unstructured {
	t.Helper()
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
		if object.Object != nil { // a document of comments alone
			objects = append(objects, object)
		}
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
