package binaries

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

const (
	// prebuiltVariable is an environment variable. With the value "prebuilt",
	// `make binaries` has just built everything, and no test runs the go command
	// again, which takes seconds for each program.
	prebuiltVariable = "BINARIES"
)

// built caches the paths of the programs that this process has built. It is the
// only package variable: another run of the go command takes seconds and
// produces the same file.
var built = cache{paths: map[string]string{}} //nolint:gochecknoglobals // see above

type cache struct {
	bin   string     // where the programs go; empty: bin/ at the top of the repository
	mu    sync.Mutex // guards paths and serializes builds
	paths map[string]string
}

func (c *cache) get(ctx context.Context, p program) (string, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if path, ok := c.paths[p.name]; ok {
		return path, nil
	}
	path, err := find(ctx, p, c.bin)
	if err != nil {
		return "", err
	}
	c.paths[p.name] = path
	return path, nil
}

// named returns the path of the program with this file name, which is one of short or long.
func (c *cache) named(ctx context.Context, name string) (string, error) {
	p, err := named(name)
	if err != nil {
		return "", err
	}
	return c.get(ctx, p)
}

// find returns the path of a prebuilt program, or builds the program.
func find(ctx context.Context, p program, bin string) (string, error) {
	if os.Getenv(prebuiltVariable) != "prebuilt" {
		return build(ctx, p, bin)
	}
	_, path, err := place(p, bin)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%s=prebuilt, but %w: run 'make binaries' or, for the long lane, 'make binaries-long'", prebuiltVariable, err)
	}
	return path, nil
}

// place returns the top of the repository and the path of the program.
func place(p program, bin string) (root, path string, err error) {
	root, err = Root()
	if bin == "" {
		bin = filepath.Join(root, "bin")
	}
	return root, filepath.Join(bin, p.name), err
}

// build lets the go command run `cp` on the program. Unlike `go build`, `go run` keeps
// linked programs in the build cache, so that a fresh clone does not link Kubernetes
// again. The rename is for processes that start the program meanwhile.
func build(ctx context.Context, p program, bin string) (string, error) {
	root, path, err := place(p, bin)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", err
	}
	unlock, err := lock(filepath.Join(filepath.Dir(path), "."+p.name+".lock"))
	if err != nil {
		return "", err
	}
	defer unlock()

	var flags []string
	if p.prepare != nil {
		if flags, err = p.prepare(ctx, root); err != nil {
			return "", fmt.Errorf("preparing %s: %w", p.name, err)
		}
	}
	fresh := path + ".new"
	if err := goBuild(ctx, root, p.module, runArgs(p, root, flags, fresh)...); err != nil {
		return "", fmt.Errorf("building %s: %w", p.name, err)
	}
	return path, os.Rename(fresh, path)
}

// goBuild runs the go command in a module.
func goBuild(ctx context.Context, root, module string, args ...string) error {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = filepath.Join(root, filepath.FromSlash(module))
	// Static, as in a release, and without a workspace. With GOGC, compiler and linker take a fifth less
	// processor time, and 100 MiB more at most.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOWORK=off", "GOGC=400", "GOFLAGS="+commonFlags(os.Getenv("GOFLAGS")))
	if output, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%q in %s: %w\n%s", strings.Join(cmd.Args, " "), cmd.Dir, err, output)
	}
	return nil
}

// commonFlags returns the flags that hold for each module: not those with which hack/base.sh builds
// this one on another release, which `make test-unit K8S=0.37` sets.
func commonFlags(flags string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(flags), func(flag string) bool {
		name, _, _ := strings.Cut(flag, "=")
		return slices.Contains([]string{"-mod", "-modfile", "-overlay", "-tags"}, name)
	}), " ")
}

// compileArgs returns the flags that all programs share, so that common
// packages are compiled once.
func compileArgs() []string {
	return []string{
		"-buildvcs=false", // so that a commit without a change of code relinks nothing
		"-pgo=off",
		"-toolexec=env GOGC=400", // see TOOLS of the Makefile
		// Prometheus discovers targets in files and in Kubernetes. The libraries of
		// the clouds would be most of its build. Other programs ignore these tags.
		"-tags=remove_all_sd,enable_kubernetes_sd",
	}
}

// runArgs returns the arguments of `go run` that build p, with additional flags, and copy it to
// the path.
func runArgs(p program, root string, additional []string, path string) []string {
	flags := append([]string{"run", "-exec=cp"}, compileArgs()...)
	flags = append(flags, "-ldflags="+strings.Join(append([]string{"-s", "-w"}, p.ldflags...), " "))
	if p.profile != "" {
		flags = append(flags, "-pgo="+filepath.Join(root, filepath.FromSlash(p.profile)))
	}
	return append(append(flags, additional...), p.pkg, path)
}

// compile compiles the programs of each module together, without linking them.
// Several go commands at once would compile what they share several times.
func compile(ctx context.Context, programs []program) error {
	root, err := Root()
	if err != nil {
		return err
	}
	packages := map[string][]string{}
	for _, p := range programs {
		if p.profile == "" && p.prepare == nil { // with these, little is shared
			packages[p.module] = append(packages[p.module], p.pkg)
		}
	}
	for module, pkgs := range packages {
		if len(pkgs) < 2 {
			continue // go build of one main package would link it
		}
		if err := goBuild(ctx, root, module, append(append([]string{"build"}, compileArgs()...), pkgs...)...); err != nil {
			return err
		}
	}
	return nil
}

// all builds programs: it compiles them together, and links two at a time, because
// linking uses one processor.
func (c *cache) all(ctx context.Context, programs []program, report func(path string)) error {
	if err := compile(ctx, programs); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(2)
	var mu sync.Mutex // guards report
	for _, p := range programs {
		group.Go(func() error {
			path, err := build(ctx, p, c.bin)
			if err == nil {
				mu.Lock()
				defer mu.Unlock()
				report(path)
			}
			return err
		})
	}
	return group.Wait()
}
