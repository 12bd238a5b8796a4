package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/test/binaries"
)

const engineModule = "github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf"

// The programs of a server.
const (
	plain   = "plain"   // the server as it is
	library = "library" // with the flow control of k8s.io/apiserver
	fair    = "fair"    // with the flow control of pkg/apf
)

// module is the module of a server, test/adoption/NAME.
type module struct{ dir, bin, source string }

func (s server) module() (module, error) {
	root, err := binaries.Root()
	return module{filepath.Join(root, "test", "adoption", s.name), filepath.Join(root, ".cache", "adoption", s.name), s.source}, err
}

// build builds all programs of the module.
func (m module) build(ctx context.Context) error {
	if err := os.MkdirAll(m.bin, 0o755); err != nil {
		return err
	}
	_, err := m.run(ctx, m.dir, "build", "-trimpath", "-buildvcs=false", "-pgo=off", "-ldflags=-s -w", "-o", m.bin+string(filepath.Separator), "./...")
	return err
}

// path returns the path of a program. A server that has the library's flow control and a flag
// for its total needs no program for it.
func (m module) path(program string) string { return filepath.Join(m.bin, m.folder(program)) }

// folder returns the folder of a program.
func (m module) folder(program string) string {
	if _, err := os.Stat(filepath.Join(m.dir, program)); err != nil {
		return plain
	}
	return program
}

func (m module) run(ctx context.Context, dir string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "go", args...)
	command.Dir = dir
	command.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	var stderr strings.Builder
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		err = fmt.Errorf("%q in %s: %w\n%s", strings.Join(command.Args, " "), dir, err, &stderr)
	}
	return string(output), err
}

// lines are numbers of lines that a change adds and deletes.
type lines struct{ Added, Deleted int }

func (l lines) String() string { return fmt.Sprintf("+%d −%d", l.Added, l.Deleted) }

// changed counts the lines where the main.go of a program differs from plain's. The comment of the
// command does not count.
func (m module) changed(ctx context.Context, program string) (changed lines, err error) {
	command := exec.CommandContext(ctx, "git", "diff", "--no-index", "--unified=0", "--ignore-matching-lines=^//",
		filepath.Join(m.dir, plain, "main.go"), filepath.Join(m.dir, m.folder(program), "main.go"))
	output, err := command.Output()
	exit := (*exec.ExitError)(nil)
	if differ := errors.As(err, &exit) && exit.ExitCode() == 1; err != nil && !differ {
		return lines{}, fmt.Errorf("comparing %s with %s: %w", plain, program, err)
	}
	for line := range strings.Lines(string(output)) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.TrimSpace(line[1:]) == "":
		case line[0] == '+':
			changed.Added++
		case line[0] == '-':
			changed.Deleted++
		}
	}
	return changed, nil
}

// raised returns the modules that have another version because the server requires
// pkg/apf, each with both versions, and the modules that it adds to the graph.
func (m module) raised(ctx context.Context) (raised, added []string, err error) {
	before, err := m.fresh(ctx, "", fair)
	if err != nil {
		return nil, nil, err
	}
	engine := filepath.Join(m.dir, "..", "..", "..", "pkg", "apf")
	after, err := m.fresh(ctx, fmt.Sprintf("require %[1]s v0.0.0\nreplace %[1]s => %[2]s\n", engineModule, engine), "")
	if err != nil {
		return nil, nil, err
	}
	delete(after, engineModule)
	for _, name := range slices.Sorted(maps.Keys(after)) {
		switch version, ok := before[name]; {
		case !ok:
			added = append(added, name)
		case version != after[name]:
			raised = append(raised, fmt.Sprintf("%s %s → %s", name, version, after[name]))
		}
	}
	return raised, added, nil
}

// fresh returns the versions in a copy of the module whose go.mod requires the server and what more
// says, so that the go command selects all other versions again. The copy lacks the program that is
// named.
func (m module) fresh(ctx context.Context, more, lacks string) (map[string]string, error) {
	dir, err := os.MkdirTemp("", "adoption-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	if err := os.CopyFS(dir, os.DirFS(m.dir)); err != nil {
		return nil, err
	}
	if lacks != "" {
		err = os.RemoveAll(filepath.Join(dir, lacks))
	}
	name, err2 := m.run(ctx, m.dir, "list", "-m")
	if err := errors.Join(err, err2, os.Remove(filepath.Join(dir, "go.sum"))); err != nil {
		return nil, err
	}
	goMod := fmt.Sprintf("module %s\ngo 1.26.0\nrequire %s\n%s", name, strings.Replace(m.source, "@", " ", 1), more)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o600); err != nil {
		return nil, err
	}
	if _, err := m.run(ctx, dir, "mod", "tidy"); err != nil {
		return nil, err
	}
	return m.versions(ctx, dir)
}

// versions returns the version of each module in the graph.
func (m module) versions(ctx context.Context, dir string) (map[string]string, error) {
	output, err := m.run(ctx, dir, "list", "-m", "-f", "{{if not .Main}}{{.Path}} {{.Version}}{{end}}", "all")
	versions := map[string]string{}
	for line := range strings.Lines(output) {
		if name, version, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			versions[name] = version
		}
	}
	return versions, err
}
