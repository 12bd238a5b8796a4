package cluster

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/e2e/harness"
)

const (
	// Namespace is the server's namespace in artifacts/.
	Namespace = "flowcontrol-system"
	// Deployment is the name of the server's Deployment and Service.
	Deployment = "flowcontrol-apiserver"
	// ServerPods selects the server's pods.
	ServerPods = "app.kubernetes.io/component=server"
)

// Apply applies a folder below artifacts/ with kubectl.
func (c *Cluster) Apply(t harness.TB, folder string) string {
	t.Helper()
	return c.Kubectl(t).Run(t, "apply", "-k", c.artifact(t, folder))
}

// ReturnV1 returns v1 to kube-apiserver with kubectl.
func (c *Cluster) ReturnV1(t harness.TB) {
	t.Helper()
	c.Kubectl(t).Run(t, "replace", "--force", "-k", c.artifact(t, "overlays/return-v1"))
}

// MakeCertificates runs the certificate script and returns its output.
func (c *Cluster) MakeCertificates(t harness.TB, purposes ...string) string {
	t.Helper()
	return c.runScript(t, "certificates/certificates.sh", purposes...)
}

// Install runs the script that installs an overlay, or a new release of it, and registers versions at the end.
func (c *Cluster) Install(t harness.TB, overlay string, versions ...string) {
	t.Helper()
	c.runScript(t, "install.sh", append([]string{c.artifact(t, overlay)}, versions...)...)
}

// Register runs the script that registers versions. Each is then available.
func (c *Cluster) Register(t harness.TB, versions ...string) {
	t.Helper()
	c.runScript(t, "registration/register.sh", versions...)
}

// runScript runs a script of artifacts/ as the administrator, and returns its output.
func (c *Cluster) runScript(t harness.TB, path string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	script := exec.CommandContext(ctx, c.artifact(t, path), args...)
	script.Env = append(os.Environ(), "KUBECTL="+harness.Program(t, binaries.Kubectl), "KUBECONFIG="+c.KubeAPIServer.Kubeconfig, "KUBECACHEDIR="+t.TempDir())
	output, err := script.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v:\n%s", path, err, output)
	}
	return string(output)
}

// WaitRollout waits until the server's Deployment exists and is up to date.
func (c *Cluster) WaitRollout(t harness.TB) {
	t.Helper()
	eventually.Holds(t, "the server's Deployment is up to date", func(a *eventually.Attempt) {
		deployment, err := c.Client.AppsV1().Deployments(Namespace).Get(a.Context(), Deployment, metav1.GetOptions{})
		require.NoError(a, err)
		status, want := deployment.Status, *deployment.Spec.Replicas
		require.Equal(a, deployment.Generation, status.ObservedGeneration, "of what the status speaks")
		require.Equal(a, want, status.UpdatedReplicas, "pods of the new template:\n%s", lastWords(c.Node.Pods(ServerPods)))
		require.Equal(a, want, status.Replicas, "pods in all")
		require.Equal(a, want, status.AvailableReplicas, "pods that are available:\n%s", lastWords(c.Node.Pods(ServerPods)))
	})
}

// Servers waits until count pods of the server are ready, and returns them.
func (c *Cluster) Servers(t harness.TB, count int) []*Pod {
	t.Helper()
	return c.Node.WaitReady(t, ServerPods, count)
}

func (c *Cluster) artifact(t harness.TB, path string) string {
	t.Helper()
	if c.Artifacts != "" {
		return filepath.Join(c.Artifacts, filepath.FromSlash(path))
	}
	return harness.Path(t, "artifacts/"+path)
}
