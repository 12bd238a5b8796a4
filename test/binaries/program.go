package binaries

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

const (
	// KubernetesVersion is the release of the Kubernetes programs and the version
	// that they report.
	KubernetesVersion = "v1.33.13"
	// NextKubernetesVersion is the release of the newer kube-apiserver, for
	// version skew.
	NextKubernetesVersion = "v1.36.4"
	// LatestKubernetesVersion is the release of the newest kube-apiserver.
	LatestKubernetesVersion = "v1.37.2"

	prometheus = "github.com/prometheus/prometheus@v0.310.0"

	// profile is the server's CPU profile for the compiler.
	profile = "cmd/flowcontrol-apiserver/default.pgo"
)

// program is a binary and its source.
type program struct {
	name    string // file name under bin/
	module  string // folder of the module that builds it, relative to the top of the repository
	pkg     string // import path of its main package
	ldflags []string
	profile string // PGO profile, relative to the module's folder; empty: none
	// prepare, if set, makes what the build needs, and returns additional flags of the go command.
	prepare func(ctx context.Context, root string) ([]string, error)
}

// short returns the programs that `make test` needs, the slowest to build
// first.
func short() []program {
	beside, err := VersionBeside()
	if err != nil { // the tests that need it will say so
		beside = KubernetesVersion
	}
	return []program{
		kubeAPIServerOf(beside), kubernetesProgram("kube-controller-manager"), kubernetesProgram("kubectl"), serverOn(Base()),
		{name: "kubectl-apf", module: "kubectl-apf", pkg: "."}, // kubectl finds it beside itself
		{name: "etcd", module: "hack/tools/programs", pkg: "go.etcd.io/etcd/server/v3"},
		derived("kubeconform", "github.com/yannh/kubeconform@v0.8.0", "/cmd/kubeconform"),
	}
}

// long returns the additional programs that `make test-long` needs.
func long() []program {
	programs := []program{
		derived("prometheus", prometheus, "/cmd/prometheus"), derived("promtool", prometheus, "/cmd/promtool"),
		helmProgram(), derived("registry", "github.com/distribution/distribution/v3@v3.1.2", "/cmd/registry"),
		derived("crane", "github.com/google/go-containerregistry@v0.22.1", "/cmd/crane"), derived("cosign", "github.com/sigstore/cosign/v3@v3.1.3", "/cmd/cosign"),
		derived("kube-score", "github.com/zegl/kube-score@v1.20.0", "/cmd/kube-score"),
		latestKubectlProgram(), releaseProgram(), earlierProgram(), wrongClockProgram(),
		replacedProgram(KubernetesVersion), replacedProgram(NextKubernetesVersion),
	}
	for _, base := range slices.Sorted(maps.Keys(Bases())) {
		programs = append(programs, kubeAPIServerOf(Bases()[base]), serverOn(base))
	}
	return programs
}

// named returns the program of short or long with this file name.
func named(name string) (program, error) {
	for _, p := range append(short(), long()...) {
		if p.name == name {
			return p, nil
		}
	}
	return program{}, fmt.Errorf("no program is called %s", name)
}

// serverProgram returns the server compiled without its profile, so that it
// shares all compiled packages with the unit tests.
func serverProgram() program {
	return program{name: "flowcontrol-apiserver", module: ".", pkg: "./cmd/flowcontrol-apiserver"}
}

// releaseProgram returns the server as `make build` compiles it.
func releaseProgram() program {
	return program{name: "flowcontrol-apiserver-release", module: ".", pkg: "./cmd/flowcontrol-apiserver", profile: profile}
}

func kubernetesProgram(name string) program {
	return program{name: name, module: "hack/tools/programs", pkg: "k8s.io/kubernetes/cmd/" + name, ldflags: versionStamps(KubernetesVersion)}
}

// replacedProgram returns kube-apiserver with pkg/apf in place of the library's engine,
// see test/replacement.
func replacedProgram(version string) program {
	release := strings.TrimPrefix(version, "v")
	return program{name: "kube-apiserver-replaced-" + release, module: ".cache/replacement/" + release,
		pkg: "k8s.io/kubernetes/cmd/kube-apiserver", ldflags: versionStamps(version), prepare: func(ctx context.Context, _ string) ([]string, error) {
			_, err := Replacement(ctx, release)
			return []string{"-mod=mod"}, err
		}}
}

// helmProgram returns Helm. Like a release of it, it takes a cluster that it cannot ask for
// one of the Kubernetes release that it is built with, not for 1.20.
func helmProgram() program {
	const pkg = "helm.sh/helm/v3/pkg/chartutil"
	p := derived("helm", "helm.sh/helm/v3@v3.18.6", "/cmd/helm")
	p.ldflags = []string{"-X", pkg + ".k8sVersionMajor=1", "-X", pkg + ".k8sVersionMinor=33"}
	return p
}

// latestKubectlProgram returns the kubectl that is newer than the others.
func latestKubectlProgram() program {
	p := derived("kubectl-1.37", "k8s.io/kubernetes@"+LatestKubernetesVersion, "/cmd/kubectl")
	p.ldflags = versionStamps(LatestKubernetesVersion)
	return p
}

// versionStamps returns the linker flags of a release build. Without them a
// program reports v0.0.0-master.
func versionStamps(version string) []string {
	number := strings.Split(strings.TrimPrefix(version, "v"), ".")
	var stamps []string
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		stamps = append(stamps,
			"-X", pkg+".gitVersion="+version,
			"-X", pkg+".gitMajor="+number[0],
			"-X", pkg+".gitMinor="+number[1],
			"-X", pkg+".gitTreeState=clean")
	}
	return stamps
}
