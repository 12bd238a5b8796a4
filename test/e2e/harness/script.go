package harness

import (
	"context"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/test/eventually"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

// RunScript runs a script of artifacts/ with the tests' kubectl and a kubeconfig, and
// returns its exit code and output.
func RunScript(t TB, kubeconfig, path string, args ...string) (int, string) {
	t.Helper()
	kubectl, err := binaries.Kubectl(t.Context())
	if err != nil {
		t.Fatalf("%v", err)
	}
	script := StartProcess(t, Command{
		Path: "/bin/sh",
		Args: append([]string{path}, args...),
		Env:  []string{"KUBECTL=" + kubectl, "KUBECONFIG=" + kubeconfig, "KUBECACHEDIR=" + t.TempDir()},
	})
	ctx, cancel := context.WithTimeout(t.Context(), eventually.Grace)
	defer cancel()
	code, err := script.ExitCode(ctx)
	if err != nil {
		t.Fatalf("%s: %v:\n%s", path, err, script.Output())
	}
	return code, script.Output()
}
