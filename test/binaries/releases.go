package binaries

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// releaseVariable is an environment variable. It names the release of k8s.io that Server is built
// on, and with it the release of KubeAPIServer, as in K8S=0.37; empty: FirstBase.
const releaseVariable = "K8S"

// FirstBase is the release of k8s.io that go.mod requires.
const FirstBase = "0.33"

// Bases maps each release of k8s.io that tests build this server on to the Kubernetes of the same
// release.
func Bases() map[string]string {
	return map[string]string{FirstBase: KubernetesVersion, "0.36": NextKubernetesVersion, "0.37": LatestKubernetesVersion}
}

// Base returns the release of k8s.io that Server is built on, such as 0.37.
func Base() string { return cmp.Or(os.Getenv(releaseVariable), FirstBase) }

// VersionBeside returns the version of KubeAPIServer, such as v1.37.2. It is the same for all patches
// of a release, such as 0.37.1.
func VersionBeside() (string, error) {
	parts := strings.SplitN(Base(), ".", 3)
	version, ok := Bases()[strings.Join(parts[:min(2, len(parts))], ".")]
	if !ok {
		return "", fmt.Errorf("%s=%s: the tests have no kube-apiserver of this release; name 0.33, 0.36 or 0.37", releaseVariable, Base())
	}
	return version, nil
}

// Server builds this project's server on Base and returns the path of the binary.
func Server(ctx context.Context) (string, error) { return ServerOn(Base())(ctx) }

// ServerOn returns what builds this project's server on a release of k8s.io, such as 0.37.
func ServerOn(base string) Build { return builds(serverOn(base)) }

// KubeAPIServer builds kube-apiserver of VersionBeside and returns the path of the binary.
func KubeAPIServer(ctx context.Context) (string, error) {
	version, err := VersionBeside()
	if err != nil {
		return "", err
	}
	return KubeAPIServerOf(version)(ctx)
}

// KubeAPIServerOf returns what builds kube-apiserver of a version.
func KubeAPIServerOf(version string) Build { return builds(kubeAPIServerOf(version)) }

// NextKubeAPIServer builds the newer kube-apiserver and returns the path of the
// binary.
func NextKubeAPIServer(ctx context.Context) (string, error) {
	return KubeAPIServerOf(NextKubernetesVersion)(ctx)
}

// ReplacedKubeAPIServer returns what builds kube-apiserver with pkg/apf in place of the
// library's engine. version is KubernetesVersion or NextKubernetesVersion. With
// FLOW_CONTROL_ENGINE=library in its environment, the program has the library's engine.
func ReplacedKubeAPIServer(version string) Build { return builds(replacedProgram(version)) }

func serverOn(base string) program {
	p := serverProgram()
	if base == FirstBase {
		return p
	}
	p.name += "-" + base
	p.prepare = func(ctx context.Context, root string) ([]string, error) {
		output, err := run(ctx, filepath.Join(root, "hack", "base.sh"), base)
		return strings.Fields(output), err
	}
	return p
}

func kubeAPIServerOf(version string) program {
	if version == KubernetesVersion {
		return kubernetesProgram("kube-apiserver")
	}
	minor := version[1:strings.LastIndex(version, ".")]
	p := derived("kube-apiserver-"+minor, "k8s.io/kubernetes@"+version, "/cmd/kube-apiserver")
	p.ldflags = versionStamps(version)
	return p
}

// run returns what a command prints.
func run(ctx context.Context, path string, args ...string) (string, error) {
	var problems strings.Builder
	command := exec.CommandContext(ctx, path, args...)
	command.Stderr = &problems
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("%q: %w\n%s", command.Args, err, problems.String())
	}
	return string(output), nil
}
