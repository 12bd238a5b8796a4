package artifacts

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

// manifests writes every manifest to a folder, kustomizations as kubectl makes them, and returns the folder
// and the kinds. The chart holds the same objects: see TestChartIsTheKustomizations.
func manifests(t *testing.T) (string, map[schema.GroupVersionKind]bool) {
	t.Helper()
	top, to, kinds := folder(t, ""), t.TempDir(), map[schema.GroupVersionKind]bool{}
	plain := []string{"examples", "registration/guard-v1", "kubectl-apf/clusterrole.yaml"}
	require.NoError(t, filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		name, err := filepath.Rel(top, path)
		require.NoError(t, err)
		content, err := os.ReadFile(path)
		require.NoError(t, err)
		text := string(content)
		switch {
		case entry.Name() == "kustomization.yaml" && strings.Contains(text, "kind: Kustomization"):
			text = harness.NewKubectl(t, "").Run(t, "kustomize", filepath.Dir(path))
		case !slices.ContainsFunc(plain, func(beginning string) bool { return strings.HasPrefix(name, beginning) }):
			return nil
		}
		for _, object := range decode(t, text) {
			kinds[object.GroupVersionKind()] = true
		}
		return os.WriteFile(filepath.Join(to, strings.ReplaceAll(name, "/", "_")), []byte(text), 0o644)
	}))
	require.Greater(t, len(kinds), 10)
	return to, kinds
}

// testSchemas lets kubeconform validate the manifests against the schemas that kube-apiserver serves.
// Kinds of a custom group need its definitions in kube-apiserver; the groups named are left out.
func testSchemas(t *testing.T, k *kubeAPIServer, without ...string) {
	files, kinds := manifests(t)
	schemas := t.TempDir()
	var skipped []string
	for kind := range kinds {
		if slices.Contains(without, kind.Group) {
			skipped = append(skipped, kind.GroupVersion().String()+"/"+kind.Kind)
			continue
		}
		k.writeSchema(t, kind, schemas)
	}
	program := harness.Program(t, binaries.Kubeconform)
	output, err := exec.CommandContext(t.Context(), program, "-strict", "-summary", "-skip="+strings.Join(skipped, ","),
		"-schema-location="+schemas+"/{{ .Group }}_{{ .ResourceAPIVersion }}_{{ .ResourceKind }}.json", files).CombinedOutput()
	require.NoError(t, err, "%s", output)
	t.Logf("%s", output)
}

// writeSchema writes the JSON schema of a kind to a folder, where kubeconform finds it. Fields that
// the schema does not name are errors.
func (k *kubeAPIServer) writeSchema(t *testing.T, kind schema.GroupVersionKind, folder string) {
	t.Helper()
	path := "/openapi/v3/apis/" + kind.GroupVersion().String()
	group := kind.Group
	if group == "" {
		path, group = "/openapi/v3/api/v1", "v1"
	}
	served, err := k.client.Discovery().RESTClient().Get().AbsPath(path).Do(t.Context()).Raw()
	require.NoError(t, err, path)
	var document struct {
		Ref        string `json:"$ref"`
		Components struct {
			Schemas map[string]map[string]any `json:"schemas"`
		} `json:"components"`
	}
	require.NoError(t, json.Unmarshal(served, &document))
	for name, one := range document.Components.Schemas {
		closeFields(one)
		if kinds, _ := one["x-kubernetes-group-version-kind"].([]any); len(kinds) == 1 && kinds[0].(map[string]any)["kind"] == kind.Kind {
			document.Ref = "#/components/schemas/" + name
		}
	}
	require.NotEmpty(t, document.Ref, kind)
	text, err := json.Marshal(document)
	require.NoError(t, err)
	name := fmt.Sprintf("%s_%s_%s.json", group, kind.Version, strings.ToLower(kind.Kind))
	require.NoError(t, os.WriteFile(filepath.Join(folder, name), text, 0o644))
}

// closeFields rejects fields that a schema does not name, in it and in those below it.
func closeFields(node any) {
	switch node := node.(type) {
	case []any:
		for _, one := range node {
			closeFields(one)
		}
	case map[string]any:
		for _, one := range node {
			closeFields(one)
		}
		_, named := node["properties"].(map[string]any)
		if named && node["additionalProperties"] == nil && node["x-kubernetes-preserve-unknown-fields"] == nil {
			node["additionalProperties"] = false
		}
	}
}
