package source_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"k8s.io/cli-runtime/pkg/resource"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/source"
)

func TestWithoutFilesThereAreNone(t *testing.T) {
	files, err := newSource(t, source.Options{Offline: true}).Files()
	require.NoError(t, err)
	assert.Empty(t, files.Objects)
}

func TestFilesThatNamesStandFor(t *testing.T) {
	directory := t.TempDir()
	write(t, directory, map[string]string{
		"a.yaml": schemaYAML("a", "v1", "l"), "b.yml": schemaYAML("b", "v1", "l"), "README.md": "text", "noextension": schemaYAML("other", "v1", "l"),
		"below/c.json":                    `{"apiVersion":"flowcontrol.apiserver.k8s.io/v1","kind":"FlowSchema","metadata":{"name":"c"}}`,
		"overlay/base/schema.yaml":        schemaYAML("k", "v1", "l"),
		"overlay/base/kustomization.yaml": "resources: [schema.yaml]\n",
		"overlay/kustomization.yaml":      "namePrefix: pre-\nresources: [base]\n",
	})
	at := func(names ...string) []string {
		for i := range names {
			names[i] = filepath.Join(directory, names[i])
		}
		return names
	}
	for _, c := range []struct {
		name    string
		options resource.FilenameOptions
		want    []string
		failed  string
	}{
		{"a file of any extension", resource.FilenameOptions{Filenames: at("noextension")}, []string{"other"}, ""},
		{"several files", resource.FilenameOptions{Filenames: at("b.yml", "a.yaml")}, []string{"b", "a"}, ""},
		{"a directory", resource.FilenameOptions{Filenames: at("")}, []string{"a", "b"}, ""},
		{"a directory with those below", resource.FilenameOptions{Filenames: at("below", "a.yaml"), Recursive: true}, []string{"c", "a"}, ""},
		{"a kustomization", resource.FilenameOptions{Kustomize: filepath.Join(directory, "overlay")}, []string{"pre-k"}, ""},
		{"a file that does not exist", resource.FilenameOptions{Filenames: at("a.yaml", "absent.yaml")}, []string{"a"}, "absent.yaml: no such file or directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			files, err := newSource(t, source.Options{Offline: true, Files: c.options}).Files()
			require.NoError(t, err)
			var got []string
			for _, object := range files.Objects {
				got = append(got, object.Name())
			}
			assert.Equal(t, c.want, got)
			if c.failed == "" {
				require.NoError(t, files.Err())
				return
			}
			require.Len(t, files.Errors, 1)
			assert.Contains(t, files.Errors[0].Error(), c.failed)
		})
	}
}

// A repository for GitOps has much that is no object. It only matters where it names the group.
func TestWhatADirectoryHasBesideObjectsIsCounted(t *testing.T) {
	const template = "{{- range .Values.levels }}\nkind: %s\nmetadata: {name: {{ .name }}}\n{{- end }}\n"
	directory := t.TempDir()
	write(t, directory, map[string]string{
		"levels/a.yaml": schemaYAML("a", "v1", "l"), "map.yaml": "apiVersion: v1\nkind: ConfigMap\n", "chart/values.yaml": "levels: [{name: a}]\n",
		".github/workflows/ci.yml": "on: push\njobs: {lint: {steps: [{run: kubectl get flowschemas.flowcontrol.apiserver.k8s.io}]}}\n",
		"chart/templates/map.yaml": fmt.Sprintf(template, "ConfigMap"), "chart/list.yaml": "- a\n", "tsconfig.json": "{// comment\n}",
	})
	read := func(names ...string) source.Files {
		files, err := newSource(t, source.Options{Offline: true, Files: resource.FilenameOptions{Filenames: names, Recursive: true}}).Files()
		require.NoError(t, err)
		return files
	}
	files := read(directory)
	require.NoError(t, files.Err())
	assert.Len(t, files.Objects, 1)
	assert.Equal(t, []string{"Skipped in directories: 6 documents, neither a FlowSchema nor a PriorityLevelConfiguration."}, files.Notes)

	named := read(directory, filepath.Join(directory, "chart", "values.yaml"))
	require.Len(t, named.Errors, 1, "a file that is named must have objects")
	write(t, directory, map[string]string{"chart/templates/levels.yaml": fmt.Sprintf(template, "PriorityLevelConfiguration")})
	files = read(directory)
	require.Len(t, files.Errors, 1)
	assert.ErrorContains(t, files.Err(), "levels.yaml:1: it is a template, and no YAML: give what helm template prints")
}

func TestStandardInputIsReadOnce(t *testing.T) {
	s := newSource(t, source.Options{
		Offline: true, Files: resource.FilenameOptions{Filenames: []string{"-"}}, Stdin: strings.NewReader(schemaYAML("a", "v1", "l")),
	})
	for range 2 {
		files, err := s.Files()
		require.NoError(t, err)
		assert.Len(t, files.Objects, 1)
	}
}
