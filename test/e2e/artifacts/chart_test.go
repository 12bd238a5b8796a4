package artifacts

import (
	"os"
	"path/filepath"
	"regexp"
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
