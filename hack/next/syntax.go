package main

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// inspect calls visit with the nodes of all Go files below folders that contain a text, without
// tests.
func inspect(folders []string, text string, visit func(file *ast.File, node ast.Node)) error {
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			content, err := os.ReadFile(path)
			if err != nil || !bytes.Contains(content, []byte(text)) {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, content, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(node ast.Node) bool {
				visit(file, node)
				return true
			})
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// textOf returns the text that a literal is, or a constant of the file; empty: neither.
func textOf(file *ast.File, expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.BasicLit:
		text, _ := strconv.Unquote(e.Value)
		return text
	case *ast.Ident:
		if object := file.Scope.Lookup(e.Name); object != nil {
			if spec, ok := object.Decl.(*ast.ValueSpec); ok && len(spec.Values) == 1 {
				return textOf(file, spec.Values[0])
			}
		}
	}
	return ""
}
