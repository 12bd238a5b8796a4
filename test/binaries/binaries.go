// Package binaries builds the programs that the tests and benchmarks run as
// real processes: this project's server, and etcd, kube-apiserver, kubectl
// and others from the tool modules under hack/tools.
//
// Every program goes to bin/ at the top of the repository. A build is asked of
// the go command each time a test process first needs the program, and left to
// the go command's cache to be quick when nothing has changed; so a test never
// runs an old binary. A file lock keeps test processes that run side by side
// from building one program twice.
package binaries

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

const (
	// KubernetesVersion is the release of the Kubernetes programs, and what they
	// report as their version.
	KubernetesVersion = "v1.33.13"
	// NextKubernetesVersion is that of the newer kube-apiserver, for version skew.
	NextKubernetesVersion = "v1.36.4"
)

// program is one binary and where it comes from.
type program struct {
	name    string // file name under bin/
	module  string // folder of the module that builds it, from the top of the repository
	pkg     string // import path of its main package
	ldflags []string
	tags    []string
	profile string // for the compiler, from the module's folder; empty: the package's own, if any
}

func programs() []program {
	return []program{serverProgram(), etcdProgram(), etcdctlProgram(), kubectlProgram(),
		kubeAPIServerProgram(), kubeControllerManagerProgram(),
		nextKubeAPIServerProgram(), buildkitdProgram(), buildctlProgram(), prometheusProgram()}
}

func serverProgram() program {
	return program{name: "flowcontrol-apiserver", module: ".", pkg: "./cmd/flowcontrol-apiserver"}
}

// peerProgram is compiled as the server is, so that only flow controls are compared.
func peerProgram() program {
	return program{name: "flowcontrol-peer", module: ".", pkg: "./hack/contention/peer", profile: "cmd/flowcontrol-apiserver/default.pgo"}
}

func etcdProgram() program {
	return program{name: "etcd", module: "hack/tools/etcd", pkg: "go.etcd.io/etcd/server/v3"}
}

func etcdctlProgram() program {
	return program{name: "etcdctl", module: "hack/tools/etcd", pkg: "go.etcd.io/etcd/etcdctl/v3"}
}

func buildkitdProgram() program { return buildkitProgram("buildkitd") }
func buildctlProgram() program  { return buildkitProgram("buildctl") }

func buildkitProgram(name string) program {
	return program{name: name, module: "hack/tools/buildkit", pkg: "github.com/moby/buildkit/cmd/" + name}
}

// prometheusProgram finds its targets in files and in Kubernetes: the libraries
// of all clouds would take most of the build.
func prometheusProgram() program {
	return program{name: "prometheus", module: "hack/tools/prometheus", pkg: "github.com/prometheus/prometheus/cmd/prometheus",
		tags: []string{"remove_all_sd", "enable_kubernetes_sd"}}
}

func kubeAPIServerProgram() program         { return kubernetesProgram("kube-apiserver") }
func kubeControllerManagerProgram() program { return kubernetesProgram("kube-controller-manager") }
func kubectlProgram() program               { return kubernetesProgram("kubectl") }

func nextKubeAPIServerProgram() program {
	const pkg = "k8s.io/kubernetes/cmd/kube-apiserver"
	return program{name: "kube-apiserver-next", module: "hack/tools/kubernetes-next", pkg: pkg, ldflags: versionStamps(NextKubernetesVersion)}
}

func kubernetesProgram(name string) program {
	return program{name: name, module: "hack/tools/kubernetes", pkg: "k8s.io/kubernetes/cmd/" + name, ldflags: versionStamps(KubernetesVersion)}
}

// versionStamps are the linker's flags by which a release build names its
// version: without them a program would call itself v0.0.0-master.
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

// Server builds this project's server and returns the path of the binary.
func Server(ctx context.Context) (string, error) { return built.get(ctx, serverProgram()) }

// Peer builds this project's server with the flow control of k8s.io/apiserver
// and returns the path of the binary. All leaves it out: only a benchmark needs
// it.
func Peer(ctx context.Context) (string, error) { return built.get(ctx, peerProgram()) }

// Etcd builds etcd and returns the path of the binary.
func Etcd(ctx context.Context) (string, error) { return built.get(ctx, etcdProgram()) }

// Etcdctl builds etcdctl and returns the path of the binary.
func Etcdctl(ctx context.Context) (string, error) { return built.get(ctx, etcdctlProgram()) }

// KubeAPIServer builds kube-apiserver and returns the path of the binary.
func KubeAPIServer(ctx context.Context) (string, error) {
	return built.get(ctx, kubeAPIServerProgram())
}

// NextKubeAPIServer builds the newer kube-apiserver and returns the path of the
// binary.
func NextKubeAPIServer(ctx context.Context) (string, error) {
	return built.get(ctx, nextKubeAPIServerProgram())
}

// KubeControllerManager builds kube-controller-manager and returns the path of
// the binary.
func KubeControllerManager(ctx context.Context) (string, error) {
	return built.get(ctx, kubeControllerManagerProgram())
}

// Kubectl builds kubectl and returns the path of the binary.
func Kubectl(ctx context.Context) (string, error) { return built.get(ctx, kubectlProgram()) }

// Buildkitd builds the daemon that builds images and returns the path of the
// binary.
func Buildkitd(ctx context.Context) (string, error) { return built.get(ctx, buildkitdProgram()) }

// Buildctl builds the client of Buildkitd and returns the path of the binary.
func Buildctl(ctx context.Context) (string, error) { return built.get(ctx, buildctlProgram()) }

// Prometheus builds Prometheus, without its pages, and returns the path of the
// binary.
func Prometheus(ctx context.Context) (string, error) { return built.get(ctx, prometheusProgram()) }

// All builds every program in turn and hands each path to report.
func All(ctx context.Context, report func(path string)) error {
	for _, p := range programs() {
		path, err := built.get(ctx, p)
		if err != nil {
			return err
		}
		report(path)
	}
	return nil
}

// built remembers what this process has built. It is the one package variable
// here: asking the go command again for each test of a process would cost
// seconds each time, and give the same file.
var built = cache{paths: map[string]string{}} //nolint:gochecknoglobals // see above

type cache struct {
	bin   string     // where the programs go; empty: bin/ at the top of the repository
	mu    sync.Mutex // guards paths, and lets one build run at a time
	paths map[string]string
}

func (c *cache) get(ctx context.Context, p program) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if path, ok := c.paths[p.name]; ok {
		return path, nil
	}
	path, err := build(ctx, p, c.bin)
	if err != nil {
		return "", fmt.Errorf("building %s: %w", p.name, err)
	}
	c.paths[p.name] = path
	return path, nil
}

func build(ctx context.Context, p program, bin string) (string, error) {
	root, err := Root()
	if err != nil {
		return "", err
	}
	if bin == "" {
		bin = filepath.Join(root, "bin")
	}
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return "", err
	}
	path := filepath.Join(bin, p.name)
	unlock, err := lock(filepath.Join(bin, "."+p.name+".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	ldflags := strings.Join(append([]string{"-s", "-w"}, p.ldflags...), " ")
	// Without version control stamps a commit that changes no code links nothing anew.
	cmd := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-pgo="+cmp.Or(p.profile, "auto"), "-ldflags="+ldflags, "-tags="+strings.Join(p.tags, ","), "-o", path, p.pkg)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(p.module))
	// Static, as these programs are released; and each module stands alone.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%q in %s: %w\n%s", strings.Join(cmd.Args, " "), cmd.Dir, err, output)
	}
	return path, nil
}
