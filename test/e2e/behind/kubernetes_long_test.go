//go:build long

package behind

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"k8s.io/client-go/kubernetes"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness/cluster"
)

// versions are the releases of Kubernetes whose programs and tests run.
func versions() []string {
	return []string{binaries.KubernetesVersion, binaries.NextKubernetesVersion}
}

// Kubernetes' integration tests start kube-apiserver in the process of the test.
func TestIntegrationTestsOfKubernetes(t *testing.T) {
	for _, version := range versions() {
		t.Run(version, func(t *testing.T) {
			output := goTest(t, version, "k8s.io/kubernetes/test/integration/apiserver/flowcontrol")
			for _, test := range []string{"TestPriorityLevelIsolation", "TestConcurrencyIsolation", "TestConditionIsolation", "TestConfigConsumerFight"} {
				require.Contains(t, output, "--- PASS: "+test+" ")
			}
		})
	}
}

func TestEndToEndTestsOfKubernetes(t *testing.T) {
	for _, version := range versions() {
		t.Run(version, func(t *testing.T) {
			server := startReplaced(t, version)
			harness.StartKubeControllerManager(t, harness.KubeControllerManagerOptions{KubeAPIServer: server})
			testEndToEnd(t, version, server.Kubeconfig)
		})
	}
}

// TestEndToEndTestsOfKubernetesWithThisServer runs them against kube-apiserver with this server, on
// k8s.io of the same release, registered for both versions. It takes a minute for each release.
func TestEndToEndTestsOfKubernetesWithThisServer(t *testing.T) {
	for base, version := range binaries.Bases() {
		t.Run(base, func(t *testing.T) {
			server, kube := harness.Program(t, binaries.ServerOn(base)), harness.Program(t, binaries.KubeAPIServerOf(version))
			c := cluster.Start(t, cluster.Options{Topology: cluster.Beside, Server: server, KubeAPIServer: kube})
			c.Register(t, "v1")
			if version == binaries.LatestKubernetesVersion {
				version = binaries.NextKubernetesVersion // 1.37 has them unchanged
			}
			testEndToEnd(t, version, c.KubeAPIServer.Kubeconfig)
		})
	}
}

// testEndToEnd runs the end-to-end tests of a release against a kube-apiserver.
func testEndToEnd(t *testing.T, version, kubeconfig string) {
	t.Helper()
	output := goTest(t, version, ".", "-kubeconfig="+kubeconfig, "-ginkgo.no-color")
	// Kubernetes itself skips two, which compare rates, "until flakiness is resolved".
	require.Contains(t, output, "3 Passed | 0 Failed | 0 Pending | 2 Skipped")
}

// startReplaced starts a kube-apiserver and requires that its engine is pkg/apf, which
// alone knows the heaviest flows.
func startReplaced(t *testing.T, version string) *harness.KubeAPIServer {
	t.Helper()
	program := harness.Program(t, binaries.ReplacedKubeAPIServer(version))
	server := harness.StartKubeAPIServer(t, harness.KubeAPIServerOptions{
		Etcd: harness.StartEtcd(t, harness.EtcdOptions{}), Program: program,
	})
	client, err := kubernetes.NewForConfig(server.Config(t))
	require.NoError(t, err)
	eventually.Holds(t, "the engine is pkg/apf", func(a *eventually.Attempt) {
		flows, err := client.Discovery().RESTClient().Get().AbsPath("/debug/api_priority_and_fairness/top_flows").DoRaw(a.Context())
		require.NoError(a, err)
		require.NotEmpty(a, flows)
	})
	return server
}

// goTest runs tests of a package in the module of a release and returns their output.
func goTest(t *testing.T, version, pkg string, args ...string) string {
	t.Helper()
	folder, err := binaries.Replacement(t.Context(), strings.TrimPrefix(version, "v"))
	require.NoError(t, err)
	run := exec.CommandContext(t.Context(), "go", append([]string{"test", "-mod=mod", "-count=1", "-vet=off", "-v", "-timeout=20m", pkg}, args...)...)
	run.Dir = folder
	// Kubernetes' tests run the etcd that they find.
	etcd := harness.Program(t, binaries.Etcd)
	run.Env = append(os.Environ(), "PATH="+filepath.Dir(etcd)+string(filepath.ListSeparator)+os.Getenv("PATH"))
	output, err := run.CombinedOutput()
	require.NoError(t, err, "%s", output)
	return string(output)
}
