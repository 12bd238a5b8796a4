package source_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

func TestObjectsInsideOthersAreNamed(t *testing.T) {
	inner := "{apiVersion: flowcontrol.apiserver.k8s.io/v1, kind: FlowSchema, metadata: {name: a}}"
	for name, test := range map[string]struct{ text, place string }{
		"a Template of OpenShift": {"apiVersion: template.openshift.io/v1\nkind: Template\nmetadata: {name: x}\nobjects: [{apiVersion: v1, kind: Service}, " + inner + "]\n", "Template x has objects of flow control in objects[1],"},
		"a SelectorSyncSet":       {"apiVersion: hive.openshift.io/v1\nkind: SelectorSyncSet\nmetadata: {name: x}\nspec: {resources: [" + inner + "]}\n", "SelectorSyncSet x has objects of flow control in spec.resources[0],"},
		"a ConfigMap":             {"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\ndata:\n  a.yaml: |\n    " + strings.ReplaceAll(schemaYAML("a", "v1", "l"), "\n", "\n    ") + "\n", `ConfigMap x has objects of flow control in data["a.yaml"],`},
	} {
		t.Run(name, func(t *testing.T) {
			directory := t.TempDir()
			require.NoError(t, os.WriteFile(filepath.Join(directory, "x.yaml"), []byte("# text\n"+test.text), 0o600))
			from := newSource(t, source.Options{Offline: true, Files: resource.FilenameOptions{Filenames: []string{directory}}})
			_, err := from.Files()
			require.ErrorContains(t, err, "The files contain no FlowSchema")
			require.ErrorContains(t, err, filepath.Join(directory, "x.yaml")+":2: "+test.place)
			require.NoError(t, os.WriteFile(filepath.Join(directory, "y.yaml"), []byte(schemaYAML("b", "v1", "l")), 0o600))
			files, err := newSource(t, source.Options{Offline: true, Files: resource.FilenameOptions{Filenames: []string{directory}}}).Files()
			require.NoError(t, err)
			assert.Contains(t, strings.Join(files.Notes, " "), test.place)
		})
	}
}
