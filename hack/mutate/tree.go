package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

const (
	modulePath = "github.com/flowcontrol-apiserver/flowcontrol-apiserver"
	// enginePackages are the packages of the engine, which is a module of its own.
	enginePackages = modulePath + "/pkg/apf/..."
)

// listed is a package in the output of `go list -json`.
type listed struct {
	ImportPath, Dir                          string
	GoFiles, TestGoFiles, XTestGoFiles       []string
	Imports, TestImports, XTestImports, Deps []string
}

func (p *listed) folder() string { return strings.TrimPrefix(p.ImportPath, modulePath+"/") }

func (p *listed) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// tree is the repository and its packages.
type tree struct {
	root     string
	packages map[string]*listed // by import path
}

// loadTree reads the module that contains dir, and the engine.
func loadTree(ctx context.Context, dir string) (*tree, error) {
	root, err := output(ctx, dir, "go", "list", "-m", "-f", "{{.Dir}}")
	if err != nil {
		return nil, err
	}
	t := &tree{root: strings.TrimSpace(string(root)), packages: map[string]*listed{}}
	packages, err := output(ctx, t.root, "go", "list", "-json=ImportPath,Dir,GoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports,Deps", "./...", enginePackages)
	if err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(bytes.NewReader(packages))
	for {
		p := &listed{}
		switch err := decoder.Decode(p); {
		case errors.Is(err, io.EOF):
			return t, nil
		case err != nil:
			return nil, err
		}
		t.packages[p.ImportPath] = p
	}
}

func output(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	command := exec.CommandContext(ctx, name, args...)
	command.Dir, command.Stderr = dir, os.Stderr
	out, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return out, nil
}

// dependents returns the folders of the product's packages whose tests are built with p, except p's
// own.
func (t *tree) dependents(p *listed) []string {
	var found []string
	for _, other := range t.packages {
		folder := other.folder()
		product := strings.HasPrefix(folder, "cmd/") || strings.HasPrefix(folder, "pkg/")
		if other != p && product && other.hasTests() && t.isBuiltWith(other, p) {
			found = append(found, folder)
		}
	}
	slices.Sort(found)
	return found
}

// isBuiltWith reports whether the tests of user depend on p.
func (t *tree) isBuiltWith(user, p *listed) bool {
	for _, path := range slices.Concat(user.Imports, user.TestImports, user.XTestImports) {
		if path == p.ImportPath {
			return true
		}
		if other := t.packages[path]; other != nil && slices.Contains(other.Deps, p.ImportPath) {
			return true
		}
	}
	return false
}

// isMutated reports whether a package is mutated: it is part of the product,
// not generated, and not only for tests and measurements.
func isMutated(folder string) bool {
	if !strings.HasPrefix(folder, "cmd/flowcontrol-apiserver/app") && !strings.HasPrefix(folder, "pkg/") {
		return false
	}
	for _, part := range []string{"pkg/generated", "pkg/apf/internal/benchmarks", "pkg/apf/internal/adoption", "pkg/apf/internal/test", "pkg/apf/test", "pkg/apis/flowcontrol/fuzzer"} {
		if folder == part || strings.HasPrefix(folder, part+"/") {
			return false
		}
	}
	return true
}

// isMutatedFile reports whether a file is neither generated nor a fake clock.
func isMutatedFile(path string) bool {
	name := filepath.Base(path)
	return !strings.HasPrefix(name, "zz_generated") && name != "fake.go"
}
