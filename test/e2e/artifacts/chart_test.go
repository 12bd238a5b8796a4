package artifacts

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"sigs.k8s.io/yaml"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

var updateDocs = tour.Flag()

func readYAML(t *testing.T, path string) map[string]any {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	var object map[string]any
	require.NoError(t, yaml.UnmarshalStrict(content, &object))
	return object
}

func TestThePrometheusRuleHasTheRules(t *testing.T) {
	object := readYAML(t, folder(t, "monitoring/prometheusrule.yaml"))
	require.Equal(t, "PrometheusRule", object["kind"])
	require.Equal(t, readYAML(t, harness.Path(t, "artifacts/monitoring/rules.yaml")), object["spec"])
}

// TestTheChartHasTheFilesOfItsTemplates: in the long lane helm renders them.
func TestTheChartHasTheFilesOfItsTemplates(t *testing.T) {
	entries, err := os.ReadDir(folder(t, "chart/files"))
	require.NoError(t, err)
	var made []string
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(folder(t, "chart/files"), entry.Name()))
		require.NoError(t, err)
		require.NotEmpty(t, decode(t, string(content)))
		made = append(made, entry.Name())
	}
	want := []string{"cert-manager.yaml", "cert-manager-etcd.yaml", "monitoring.yaml", "registration.yaml"}
	schema, err := os.ReadFile(folder(t, "chart/values.schema.json"))
	require.NoError(t, err)
	modes := regexp.MustCompile(`"mode": \{"enum": \["(\w+)", "(\w+)", "(\w+)"\]\}`).FindSubmatch(schema)
	require.Len(t, modes, 4)
	for _, mode := range modes[1:] {
		want = append(want, string(mode)+"-etcd.yaml", string(mode)+"-etcd-files.yaml")
	}
	require.ElementsMatch(t, want, made)
}

// chartMetadata is what Artifact Hub reads of Chart.yaml.
type chartMetadata struct {
	Version, AppVersion, Icon string
	Maintainers               []struct{ Name, URL string }
	Annotations               map[string]string
}

// requireAnnotation decodes an annotation, which is YAML in a string.
func (m chartMetadata) requireAnnotation(t *testing.T, name string, into any) {
	t.Helper()
	require.Contains(t, m.Annotations, "artifacthub.io/"+name)
	require.NoError(t, yaml.UnmarshalStrict([]byte(m.Annotations["artifacthub.io/"+name]), into), name)
}

// TestChartSaysWhatArtifactHubShows compares the metadata of the chart with its values and with files of this tree.
func TestChartSaysWhatArtifactHubShows(t *testing.T) {
	t.Parallel()
	var metadata chartMetadata
	var values struct {
		Image string
		Etcd  struct{ Image string }
	}
	for name, into := range map[string]any{"Chart.yaml": &metadata, "values.yaml": &values} {
		content, err := os.ReadFile(filepath.Join(folder(t, "chart"), name))
		require.NoError(t, err)
		require.NoError(t, yaml.Unmarshal(content, into))
	}
	var images []struct {
		Name, Image string
		Platforms   []string
	}
	metadata.requireAnnotation(t, "images", &images)
	require.Len(t, images, 2)
	require.Equal(t, []string{values.Image, values.Etcd.Image}, []string{images[0].Image, images[1].Image})
	license, err := os.ReadFile(harness.Path(t, "LICENSE"))
	require.NoError(t, err)
	require.Contains(t, string(license), "Apache License")
	require.Equal(t, "Apache-2.0", metadata.Annotations["artifacthub.io/license"])

	var links []struct{ Name, URL string }
	metadata.requireAnnotation(t, "links", &links)
	named := []string{metadata.Icon}
	for _, maintainer := range metadata.Maintainers {
		require.NotEmpty(t, maintainer.Name)
		named = append(named, maintainer.URL)
	}
	for _, link := range links {
		named = append(named, link.URL)
	}
	require.Greater(t, len(named), 2)
	for _, url := range named {
		parts := strings.SplitN(strings.TrimPrefix(url, "https://"), "/", 6) // HOST, two of the repository, raw or blob, the branch, the path
		require.Len(t, parts, 6, url)
		path, _, _ := strings.Cut(parts[5], "#")
		require.FileExists(t, harness.Path(t, path), url)
	}
	require.FileExists(t, folder(t, "chart/README.md"))
}
