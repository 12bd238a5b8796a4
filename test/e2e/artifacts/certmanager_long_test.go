//go:build long

package artifacts

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
)

// TestCertManagerTakesItsFiles applies the files of cert-manager, with its custom
// resource definitions installed.
func TestCertManagerTakesItsFiles(t *testing.T) {
	k := startKubeAPIServer(t)
	_, err := k.client.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	require.NoError(t, err)
	k.kubectl.Run(t, "apply", "--server-side", "-f", filepath.Join(module(t, "github.com/cert-manager/cert-manager@v1.21.2"), "deploy", "crds"))
	k.waitServed(t, "issuers.cert-manager.io,certificates.cert-manager.io")
	for _, folder := range []string{byCertManager, byCertManagerWithEtcd} {
		k.requireApplies(t, folder)
	}

	operator := filepath.Join(module(t, "github.com/prometheus-operator/prometheus-operator@v0.85.0"), "example", "prometheus-operator-crd")
	k.kubectl.Run(t, "apply", "--server-side", "-f", operator)
	k.waitServed(t, "podmonitors.monitoring.coreos.com,prometheusrules.monitoring.coreos.com,servicemonitors.monitoring.coreos.com")
	testSchemas(t, k)
}

// waitServed waits until custom resources can be listed.
func (k *kubeAPIServer) waitServed(t *testing.T, resources string) {
	t.Helper()
	eventually.Holds(t, resources+" are served", func(a *eventually.Attempt) {
		listed := k.kubectl.Try(t, "", "get", resources)
		require.Zero(a, listed.ExitCode, listed.Stderr)
	})
}

// module returns the folder of a module, PATH@VERSION.
func module(t *testing.T, name string) string {
	t.Helper()
	command := exec.CommandContext(t.Context(), "go", "mod", "download", "-json", name)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	require.NoError(t, err, "%s%s", output, stderr.String())
	var found struct{ Dir string }
	require.NoError(t, json.Unmarshal(output, &found))
	require.DirExists(t, found.Dir)
	return found.Dir
}
