package harness

import (
	"context"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// APIServer holds what kube-apiserver and this project's server have in common.
type APIServer struct {
	// URL is where clients reach the server. It does not change on restart.
	URL string
	// Kubeconfig is the path of the administrator's kubeconfig. The file exists once
	// the server is ready.
	Kubeconfig string
	// Process is the running process, or the last one.
	Process *Process

	// command is how the process is started.
	command func(TB) Command
	// token is the bearer token of the readiness probe; empty: none is needed.
	token string
}

// Launch restarts the server, after Stop or Kill, with the same files and port. It
// does not wait.
func (a *APIServer) Launch(t TB) {
	t.Helper()
	a.Process = StartProcess(t, a.command(t))
}

// Start calls Launch and waits until the server is ready.
func (a *APIServer) Start(t TB) {
	t.Helper()
	a.Launch(t)
	await(t, a.WaitReady)
}

// Stop ends the server with SIGTERM and waits for its graceful stop.
func (a *APIServer) Stop(t TB) {
	t.Helper()
	a.Process.Stop(t)
}

// Kill ends the server with SIGKILL.
func (a *APIServer) Kill(t TB) {
	t.Helper()
	a.Process.Kill(t)
}

// WaitReady waits until /readyz answers 200.
func (a *APIServer) WaitReady(ctx context.Context) error {
	return a.Process.poll(ctx, "readiness", newProbe(a.URL+"/readyz", a.token).ok)
}

// Config returns an unthrottled client configuration of the administrator.
func (a *APIServer) Config(t TB) *rest.Config {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", a.Kubeconfig)
	if err != nil {
		t.Fatalf("reading %s: %v", a.Kubeconfig, err)
	}
	config.QPS = -1 // the client's throttle is not under test
	return config
}

// Kubectl returns a kubectl of the administrator.
func (a *APIServer) Kubectl(t TB) *Kubectl {
	t.Helper()
	return NewKubectl(t, a.Kubeconfig)
}
