package main

import (
	"context"
	"go/ast"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// printPackages prints only what is gone: importers in folders _base know what is new.
func (n *next) printPackages(context.Context) error {
	var code []string
	for _, folder := range []string{"cmd", "pkg", "test"} {
		code = append(code, filepath.Join(n.root, folder))
	}
	used, err := imports(code)
	if err != nil {
		return err
	}
	before, after := there(used, n.before), there(used, n.after)
	for path := range after {
		if _, had := before[path]; !had {
			delete(after, path)
		}
	}
	printDifferences(n.out, before, after)
	return nil
}

// imports returns the folders below which code imports packages of k8s.io, by package.
func imports(code []string) (map[string]string, error) {
	used := map[string]string{}
	err := inspect(code, `"k8s.io/`, func(file *ast.File, node ast.Node) {
		if spec, ok := node.(*ast.ImportSpec); ok {
			if path, _ := strconv.Unquote(spec.Path.Value); strings.HasPrefix(path, "k8s.io/") {
				used[path] = "imported by package " + file.Name.Name
			}
		}
	})
	return used, err
}

// there returns the packages that the modules in folders have.
func there(packages, folders map[string]string) map[string]string {
	found := map[string]string{}
	for path, importer := range packages {
		for module, folder := range folders {
			rest, ok := strings.CutPrefix(path, module+"/")
			if _, err := os.Stat(filepath.Join(folder, rest)); ok && err == nil {
				found[path] = importer
			}
		}
	}
	return found
}
