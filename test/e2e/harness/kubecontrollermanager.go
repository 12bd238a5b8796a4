package harness

import (
	"context"
	"strconv"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/ports"
)

// KubeControllerManagerOptions configures a kube-controller-manager process.
type KubeControllerManagerOptions struct {
	// KubeAPIServer is the server that it connects to; required.
	KubeAPIServer *KubeAPIServer
	// Args are additional flags. They override the harness's.
	Args []string
}

// StartKubeControllerManager starts a kube-controller-manager and waits until it
// is healthy. It signs certificates with the client CA of its kube-apiserver.
func StartKubeControllerManager(t TB, options KubeControllerManagerOptions) *Process {
	t.Helper()
	k := options.KubeAPIServer
	port := ports.Free(t, 1)[0]
	process := StartProcess(t, Command{Path: Program(t, binaries.KubeControllerManager), Args: append([]string{
		"--bind-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(port),
		"--cert-dir=" + t.TempDir(),
		"--kubeconfig=" + k.Kubeconfig,
		"--leader-elect=false",
		"--service-account-private-key-file=" + k.ServiceAccountKey,
		"--root-ca-file=" + k.ClientCA.CertFile,
		"--cluster-signing-cert-file=" + k.ClientCA.CertFile,
		"--cluster-signing-key-file=" + k.ClientCA.KeyFile,
	}, options.Args...)})
	health := newProbe("https://"+ports.Loopback(port)+"/healthz", "")
	await(t, func(ctx context.Context) error { return process.poll(ctx, "health", health.ok) })
	return process
}
