package repo

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// module is the import path of the product.
const module = "github.com/flowcontrol-apiserver/flowcontrol-apiserver"

// layers are the levels of the packages of a tree, by the path below the product's module. A package
// imports only packages of a lower level, so packages of the same level are independent.
type layers struct {
	tree  string
	level map[string]int
}

// layersOf returns the levels that the package comment of a tree has.
func layersOf(t *testing.T, tree string) layers {
	t.Helper()
	l := layers{tree: tree, level: map[string]int{}}
	level := -1
	for _, row := range regexp.MustCompile(`(?m)^//\t(?:L(\d)|  )  (\S+)  `).FindAllStringSubmatch(fileText(t, tree+"/doc.go"), -1) {
		if row[1] != "" {
			level = int(row[1][0] - '0')
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

// faults returns the faults of the imports of a package of the tree.
func (l layers) faults(name string, imports []string) (faults []string) {
	level, known := l.level[name]
	if !known {
		return []string{fmt.Sprintf("%s has no level: give it one in %s/doc.go", name, l.tree)}
	}
	outside := regexp.MustCompile(`^(github.com/prometheus|k8s.io/(klog|client-go|component-base))/|^net/http$`)
	for _, imported := range imports {
		if l.tree == "pkg/apf" && level <= 4 && outside.MatchString(imported) {
			faults = append(faults, fmt.Sprintf("%s (L%d) may not import %s", name, level, imported))
		}
		if other, known := l.level[imported]; known && other >= level {
			faults = append(faults, fmt.Sprintf("%s (L%d) may not import %s (L%d): a package knows only lower levels, "+
				"so that each can be understood and tested without the packages above it", name, level, imported, other))
		}
	}
	return faults
}

// The directions between trees are rules of depguard in .golangci.yaml. The engine up to L4 computes
// on plain values, so that it runs in virtual time without a server: metrics, logs, clients and HTTP
// belong to L5.
func TestPackagesImportOnlyLowerLevels(t *testing.T) {
	testCode := regexp.MustCompile(`^pkg/apf/(internal/)?test/`) // may import anything
	for _, tree := range []string{"pkg/apf", "kubectl-apf"} {
		t.Run(tree, func(t *testing.T) {
			layers, seen := layersOf(t, tree), 0
			list := command(t, filepath.Join(root(t), filepath.FromSlash(tree)), "go", "list", "-e", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "./...")
			for line := range strings.Lines(string(list)) {
				fields := strings.Fields(strings.ReplaceAll(line, module+"/", ""))
				if len(fields) == 1 || testCode.MatchString(fields[0]) {
					continue
				}
				seen++
				for _, fault := range layers.faults(fields[0], fields[1:]) {
					t.Error(fault)
				}
			}
			require.NotZero(t, seen)
		})
	}
}

// Any program can use the schedule: with all that it imports, it needs Go's library alone, and no server.
func TestTheScheduleNeedsTheStandardLibraryAlone(t *testing.T) {
	needless := `{{if or (not .Standard) (eq .ImportPath "net/http")}}{{.ImportPath}}{{end}}`
	list := command(t, filepath.Join(root(t), "pkg/apf"), "go", "list", "-deps", "-f", needless, "./limiter")
	packages := strings.Fields(string(list))
	require.Contains(t, packages, module+"/pkg/apf/queueset")
	for _, name := range packages {
		if !strings.HasPrefix(name, module+"/pkg/apf/") {
			t.Errorf("pkg/apf/limiter needs %s", name)
		}
	}
}
