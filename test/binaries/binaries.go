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
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// Server builds this project's server on Base and returns the path of the binary.
func Server(ctx context.Context) (string, error) { return ServerOn(ctx, Base()) }

// Plugin builds the kubectl plug-in "kubectl apf" and returns the path of the binary.
func Plugin(ctx context.Context) (string, error) { return built.get(ctx, pluginProgram()) }

// Release builds this project's server as in a release, with its PGO profile,
// and returns the path of the binary.
func Release(ctx context.Context) (string, error) { return built.get(ctx, releaseProgram()) }

// Etcd builds etcd and returns the path of the binary.
func Etcd(ctx context.Context) (string, error) { return built.get(ctx, etcdProgram()) }

// KubeAPIServer builds kube-apiserver of VersionBeside and returns the path of the binary.
func KubeAPIServer(ctx context.Context) (string, error) {
	version, err := VersionBeside()
	if err != nil {
		return "", err
	}
	return KubeAPIServerOf(ctx, version)
}

// NextKubeAPIServer builds the newer kube-apiserver and returns the path of the
// binary.
func NextKubeAPIServer(ctx context.Context) (string, error) {
	return KubeAPIServerOf(ctx, NextKubernetesVersion)
}

// ReplacedKubeAPIServer builds kube-apiserver with pkg/apf in place of the library's
// engine and returns the path of the binary. version is KubernetesVersion or
// NextKubernetesVersion. With FLOW_CONTROL_ENGINE=library in its environment, the program
// has the library's engine.
func ReplacedKubeAPIServer(ctx context.Context, version string) (string, error) {
	return built.get(ctx, replacedProgram(version))
}

// KubeControllerManager builds kube-controller-manager and returns the path of
// the binary.
func KubeControllerManager(ctx context.Context) (string, error) {
	return built.get(ctx, kubernetesProgram("kube-controller-manager"))
}

// Kubectl builds kubectl and returns the path of the binary.
func Kubectl(ctx context.Context) (string, error) {
	return built.get(ctx, kubernetesProgram("kubectl"))
}

// LatestKubectl builds kubectl of LatestKubernetesVersion and returns the path of the binary.
func LatestKubectl(ctx context.Context) (string, error) {
	return built.get(ctx, latestKubectlProgram())
}

// Prometheus builds Prometheus without its web interface and returns the path
// of the binary.
func Prometheus(ctx context.Context) (string, error) { return built.get(ctx, prometheusProgram()) }

// Promtool builds the tool that checks and tests rules of Prometheus, and returns the path of
// the binary.
func Promtool(ctx context.Context) (string, error) { return built.get(ctx, promtoolProgram()) }

// Helm builds Helm and returns the path of the binary.
func Helm(ctx context.Context) (string, error) { return built.get(ctx, helmProgram()) }

// Kubeconform builds the tool that validates manifests against schemas, and returns the path of the binary.
func Kubeconform(ctx context.Context) (string, error) { return built.get(ctx, kubeconformProgram()) }

// KubeScore builds the tool that judges manifests, and returns the path of the binary.
func KubeScore(ctx context.Context) (string, error) { return built.get(ctx, kubeScoreProgram()) }

// Chromium returns the path of the Chromium or Chrome of this machine. Only the long lane needs it.
func Chromium(context.Context) (string, error) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("there is no Chromium on the PATH: install chromium")
}

// Judge builds a program of others that judges servers, vegeta, kwok or etcd-validate, and
// returns the path of the binary.
func Judge(ctx context.Context, name string) (string, error) {
	return built.get(ctx, judgeProgram(name))
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
	for _, p := range append(short(), long()...) {
		if i := slices.Index(names, p.name); i >= 0 {
			chosen, names = append(chosen, p), slices.Delete(slices.Clone(names), i, i+1)
		}
	}
	if len(names) > 0 {
		return fmt.Errorf("no program is called %s", strings.Join(names, " or "))
	}
	return built.all(ctx, chosen, report)
}
