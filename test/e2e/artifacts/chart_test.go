package artifacts

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/tour"
)

var updateDocs = tour.Flag()

// kustomizationsOfChart maps the files of the chart to the kustomizations in artifacts/
// that they hold.
func kustomizationsOfChart() map[string]string {
	return map[string]string{
		"own-etcd":          "overlays/own-etcd",
		"external-etcd":     "overlays/external-etcd",
		"kubeadm-etcd":      "overlays/v1beta3-beside",
		"cert-manager":      byCertManager,
		"cert-manager-etcd": byCertManagerWithEtcd,
		"monitoring":        "monitoring",
		"registration":      "registration/v1beta3",
	}
}

// TestChartHoldsTheKustomizations compares the files of the chart with what kubectl makes
// of the kustomizations.
func TestChartHoldsTheKustomizations(t *testing.T) {
	t.Parallel()
	for name, kustomization := range kustomizationsOfChart() {
		rendered := harness.NewKubectl(t, "").Run(t, "kustomize", folder(t, kustomization))
		path := filepath.Join(folder(t, "chart/files"), name+".yaml")
		if *updateDocs {
			require.NoError(t, os.WriteFile(path, []byte(rendered), 0o644))
			continue
		}
		held, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, rendered, string(held), "%s is not what artifacts/%s is: run 'make update-docs'", path, kustomization)
	}
}
