package repo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the import path of the product.
const module = "github.com/flowcontrol-apiserver/flowcontrol-apiserver"

// goPackage is a package in the output of the go command.
type goPackage struct {
	ImportPath   string
	Imports      []string // without the tests'
	TestImports  []string
	XTestImports []string
}

// rule forbids imports.
type rule struct {
	// from are the packages that the rule applies to; to is what they may not
	// import. A path includes everything below it; "./" is the product's module.
	from, to []string
	// except are packages below from that the rule does not apply to; allowed are
	// packages below to that may be imported.
	except, allowed []string
	// tests reports whether the rule applies to their tests too.
	tests bool
	why   string
}

// rules forbid what no go.mod forbids: the engine and the plug-in are modules of their own.
func rules(t *testing.T) []rule {
	t.Helper()
	return []rule{
		{
			from: []string{"./"}, to: []string{"k8s.io/kubernetes"}, tests: true,
			why: "k8s.io/kubernetes is no library: compare with it in test/parity, a module of its own",
		},
		{
			from: []string{"./pkg", "./cmd", "./kubectl-apf"}, except: engineTests(), to: append(engineTests(), "./test", "./hack"),
			why: "the product may not need its tests and tools",
		},
		{
			from: []string{"./pkg"}, to: []string{"./cmd"}, tests: true,
			why: "cmd puts the packages together; a package that knew cmd could be used by nobody else",
		},
		{
			from: []string{"./pkg/apis"}, to: []string{"./pkg/registry", "./pkg/apf", "./pkg/generated"}, allowed: []string{"./pkg/apf/names"},
			why: "the API types lie below what stores, serves and enforces them",
		},
		{
			from: []string{"./pkg/generated"}, to: []string{"./pkg/apis", "./pkg/registry", "./pkg/apf"},
			why: "the generated client works on the types of k8s.io/api, so that any program can take it alone",
		},
		{
			from: []string{"./pkg/registry"}, to: []string{"./pkg/apf"}, allowed: []string{"./pkg/apf/names"},
			why: "storing a configuration does not depend on how it is enforced",
		},
		{
			from: layersOf(t, "pkg/apf").upTo(4),
			to:   []string{"github.com/prometheus", "k8s.io/klog", "k8s.io/client-go", "k8s.io/component-base", "net/http"},
			why: "the engine up to L4 computes on plain values: metrics, logs, clients and HTTP belong to L5, " +
				"so that queuing can run in virtual time without a server",
		},
		{
			from: []string{"./pkg/registry"}, to: []string{"./pkg/server"},
			why: "the server puts the registry into a handler chain; the registry is usable without it",
		},
		{
			from: []string{"./pkg/lint"}, to: []string{"./pkg/registry", "./pkg/server", "./pkg/generated", "./pkg/apf/configsync", "k8s.io/client-go"},
			why: "lint reads objects, wherever they come from",
		},
		{
			from: []string{"./kubectl-apf"}, except: []string{"./kubectl-apf/e2e"}, to: []string{"./cmd", "./hack", "./pkg/server", "./pkg/registry", "./pkg/generated"},
			why: "the plug-in explains any API server: it knows the engine and the objects, not how this server serves and stores them",
		},
		{
			from: []string{"./kubectl-apf"}, except: []string{"./kubectl-apf/command", "./kubectl-apf/source"}, to: []string{"k8s.io/client-go", "k8s.io/cli-runtime"},
			why: "source does the input; the answers are pure functions of plain values",
		},
		{
			from: []string{"./pkg", "./cmd"}, except: []string{"./pkg/server/embedded"}, to: []string{"go.etcd.io/etcd/server"}, tests: true,
			why: "the embedded etcd belongs to the one-binary mode, pkg/server/embedded",
		},
	}
}

// layers are the levels of the packages of a tree, by the path below the product's module. A package
// imports only packages of a lower level, so packages of the same level are independent.
type layers struct {
	tree  string
	level map[string]int
}

// layersOf returns the levels that the package comment of a tree has.
func layersOf(t *testing.T, tree string) layers {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root(t), filepath.FromSlash(tree), "doc.go"))
	require.NoError(t, err)
	l := layers{tree: tree, level: map[string]int{}}
	level := -1
	for _, row := range regexp.MustCompile(`(?m)^//\t(?:L(\d)|  )  (\S+)  `).FindAllStringSubmatch(string(content), -1) {
		if row[1] != "" {
			level, err = strconv.Atoi(row[1])
			require.NoError(t, err)
		}
		name := tree + "/" + row[2]
		if row[2] == path.Base(tree) {
			name = tree
		}
		l.level[name] = level
	}
	require.NotEmpty(t, l.level)
	return l
}

// upTo returns the packages up to a level.
func (l layers) upTo(level int) (packages []string) {
	for name, of := range l.level {
		if of <= level {
			packages = append(packages, "./"+name)
		}
	}
	return packages
}

// faults returns the faults of the imports of a package of the tree.
func (l layers) faults(name string, imports []string) (faults []string) {
	level, known := l.level[name]
	if !known {
		return []string{fmt.Sprintf("%s has no level: give it one in %s/doc.go", name, l.tree)}
	}
	for _, imported := range imports {
		imported = strings.TrimPrefix(imported, module+"/")
		if other, known := l.level[imported]; known && other >= level {
			faults = append(faults, fmt.Sprintf("%s (L%d) may not import %s (L%d): a package knows only lower levels, "+
				"so that each can be understood and tested without the packages above it", name, level, imported, other))
		}
	}
	return faults
}

// engineTests returns the folders of what the engine's tests share.
func engineTests() []string { return []string{"./pkg/apf/test", "./pkg/apf/internal/test"} }

func TestImportsPointTheRightWay(t *testing.T) {
	packages := goPackages(t)
	for _, rule := range rules(t) {
		for _, pkg := range packages {
			for _, imported := range rule.broken(pkg) {
				t.Errorf("%s may not import %s: %s", pkg.ImportPath, imported, rule.why)
			}
		}
	}
}

func TestPackagesImportOnlyLowerLevels(t *testing.T) {
	packages := goPackages(t)
	for _, tree := range []string{"pkg/apf", "kubectl-apf"} {
		t.Run(tree, func(t *testing.T) {
			layers, seen := layersOf(t, tree), 0
			for _, pkg := range packages {
				if !below(pkg.ImportPath, []string{"./" + tree}) || len(pkg.Imports) == 0 || below(pkg.ImportPath, engineTests()) { // tests may import anything
					continue
				}
				seen++
				for _, fault := range layers.faults(strings.TrimPrefix(pkg.ImportPath, module+"/"), pkg.Imports) {
					t.Error(fault)
				}
			}
			require.NotZero(t, seen)
		})
	}
}

// broken returns the imports of the package that the rule forbids.
func (r rule) broken(pkg goPackage) (imports []string) {
	if !below(pkg.ImportPath, r.from) || below(pkg.ImportPath, r.except) {
		return nil
	}
	candidates := pkg.Imports
	if r.tests {
		candidates = append(append(slices.Clip(candidates), pkg.TestImports...), pkg.XTestImports...)
	}
	for _, candidate := range candidates {
		if below(candidate, r.to) && !below(candidate, r.allowed) {
			imports = append(imports, candidate)
		}
	}
	return imports
}

// below reports whether an import path is in one of the trees.
func below(importPath string, trees []string) bool {
	for _, tree := range trees {
		tree = strings.TrimSuffix(strings.Replace(tree, "./", module+"/", 1), "/")
		if importPath == tree || strings.HasPrefix(importPath, tree+"/") {
			return true
		}
	}
	return false
}

// goPackages returns the packages of the product's modules, and of the tools that measure it.
func goPackages(t *testing.T) (packages []goPackage) {
	t.Helper()
	for folder, patterns := range map[string][]string{".": {"./...", module + "/pkg/apf/..."}, "kubectl-apf": {"./..."}, "hack/lab": {"./..."}} {
		before := len(packages)
		decoder := json.NewDecoder(bytes.NewReader(command(t, filepath.Join(root(t), filepath.FromSlash(folder)),
			"go", append([]string{"list", "-e", "-json=ImportPath,Imports,TestImports,XTestImports"}, patterns...)...)))
		for {
			var pkg goPackage
			err := decoder.Decode(&pkg)
			if errors.Is(err, io.EOF) {
				break
			}
			require.NoError(t, err)
			packages = append(packages, pkg)
		}
		require.Greater(t, len(packages), before, folder)
	}
	return packages
}
