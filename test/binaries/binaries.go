// Package binaries builds the programs that the tests and benchmarks run as
// real processes: this project's server, and etcd, kube-apiserver, kubectl
// and others from the tool modules under hack/tools.
//
// Every program goes to bin/ at the top of the repository. `make test` builds
// all programs first and sets BINARIES=prebuilt for the tests. Without that
// variable, for example in an editor, a test process builds a program when it
// first needs it. The go command's cache makes that quick when nothing has
// changed, so a test never runs an old binary. A file lock keeps concurrent
// test processes from building the same program.
//
// The programs that `make test` needs are built from one module, in the
// product's versions and with the same flags. So each package is compiled once
// for all of them and for the unit tests.
package binaries

import (
	"context"
	"errors"
	"os/exec"
)

// Plugin builds the kubectl plug-in "kubectl apf" and returns the path of the binary.
func Plugin(ctx context.Context) (string, error) { return built.named(ctx, "kubectl-apf") }

// Release builds this project's server as in a release, with its PGO profile,
// and returns the path of the binary.
func Release(ctx context.Context) (string, error) {
	return built.named(ctx, "flowcontrol-apiserver-release")
}

// WrongClock builds this project's server so that a test can set its wall clock wrong, and
// returns the path of the binary. The first eight bytes of the file that ClockVariable names
// are the number of seconds that the clock is ahead, in the order of the machine's bytes.
// Durations are measured by another clock, as on a machine whose time is corrected.
func WrongClock(ctx context.Context) (string, error) {
	return built.named(ctx, "flowcontrol-apiserver-wrong-clock")
}

// Etcd builds etcd and returns the path of the binary.
func Etcd(ctx context.Context) (string, error) { return built.named(ctx, "etcd") }

// KubeControllerManager builds kube-controller-manager and returns the path of
// the binary.
func KubeControllerManager(ctx context.Context) (string, error) {
	return built.named(ctx, "kube-controller-manager")
}

// Kubectl builds kubectl and returns the path of the binary.
func Kubectl(ctx context.Context) (string, error) { return built.named(ctx, "kubectl") }

// LatestKubectl builds kubectl of LatestKubernetesVersion and returns the path of the binary.
func LatestKubectl(ctx context.Context) (string, error) { return built.named(ctx, "kubectl-1.37") }

// Prometheus builds Prometheus without its web interface and returns the path
// of the binary.
func Prometheus(ctx context.Context) (string, error) { return built.named(ctx, "prometheus") }

// Promtool builds the tool that checks and tests rules of Prometheus, and returns the path of
// the binary.
func Promtool(ctx context.Context) (string, error) { return built.named(ctx, "promtool") }

// Helm builds Helm and returns the path of the binary.
func Helm(ctx context.Context) (string, error) { return built.named(ctx, "helm") }

// Registry builds distribution, a registry of images and charts, and returns the path of the binary.
func Registry(ctx context.Context) (string, error) { return built.named(ctx, "registry") }

// Crane builds the tool that writes and reads images of a registry, and returns the path of the binary.
func Crane(ctx context.Context) (string, error) { return built.named(ctx, "crane") }

// Cosign builds the tool that signs and verifies images, and returns the path of the binary.
func Cosign(ctx context.Context) (string, error) { return built.named(ctx, "cosign") }

// Kubeconform builds the tool that validates manifests against schemas, and returns the path of the binary.
func Kubeconform(ctx context.Context) (string, error) { return built.named(ctx, "kubeconform") }

// KubeScore builds the tool that judges manifests, and returns the path of the binary.
func KubeScore(ctx context.Context) (string, error) { return built.named(ctx, "kube-score") }

// Chromium returns the path of the Chromium or Chrome of this machine. Only the long lane needs it.
func Chromium(context.Context) (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no Chromium on the PATH: install chromium")
}

// Build builds a program and returns the path of the binary.
type Build = func(ctx context.Context) (path string, err error)

func builds(p program) Build {
	return func(ctx context.Context) (string, error) { return built.get(ctx, p) }
}

// Short builds the programs that `make test` needs and passes each path to
// report.
func Short(ctx context.Context, report func(path string)) error {
	return built.all(ctx, short(), report)
}

// Long builds the additional programs that `make test-long` needs.
func Long(ctx context.Context, report func(path string)) error {
	return built.all(ctx, long(), report)
}

// Named builds only the programs with these file names.
func Named(ctx context.Context, names []string, report func(path string)) error {
	var chosen []program
	for _, name := range names {
		p, err := named(name)
		if err != nil {
			return err
		}
		chosen = append(chosen, p)
	}
	return built.all(ctx, chosen, report)
}
