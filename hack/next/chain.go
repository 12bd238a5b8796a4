package main

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// filter is a filter of a handler chain.
type filter struct {
	name string
	// call is its call, and condition what must hold; empty: nothing.
	call, condition string
}

func (n *next) printFilters(context.Context) error {
	const config = "pkg/server/config.go"
	before, err := libraryChain(filepath.Join(n.before["k8s.io/apiserver"], config))
	if err != nil {
		return err
	}
	after, err := libraryChain(filepath.Join(n.after["k8s.io/apiserver"], config))
	if err != nil {
		return err
	}
	ours, err := ourChain(filepath.Join(n.root, "pkg/server/handlerchain.go"))
	if err == nil {
		printTable(n.out, n.previous.version, n.release.version, newTable(ours, before, after))
	}
	return err
}

func functionIn(path, name string) (*ast.FuncDecl, error) {
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
	if err != nil {
		return nil, err
	}
	for _, declaration := range file.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name == name {
			return f, nil
		}
	}
	return nil, fmt.Errorf("%s has no function %s: look where the chain is made now, and change hack/next/chain.go", path, name)
}

// ourChain returns the names of the rows in handlerChain, the outermost first.
func ourChain(path string) (names []string, err error) {
	function, err := functionIn(path, "handlerChain")
	if err != nil {
		return nil, err
	}
	ast.Inspect(function, func(node ast.Node) bool {
		row, ok := node.(*ast.CompositeLit)
		if !ok || row.Type != nil || len(row.Elts) == 0 {
			return true
		}
		if literal, ok := row.Elts[0].(*ast.BasicLit); ok {
			name, _ := strconv.Unquote(literal.Value)
			names = append(names, name)
		}
		return false
	})
	if len(names) == 0 {
		return nil, errors.New("handlerChain lists no filters")
	}
	return names, nil
}

// libraryChain returns the filters of DefaultBuildHandlerChain, the outermost first.
func libraryChain(path string) ([]filter, error) {
	function, err := functionIn(path, "DefaultBuildHandlerChain")
	if err != nil {
		return nil, err
	}
	// The variable that is returned is what filters are put around.
	var chain wrapping
	ast.Inspect(function, func(node ast.Node) bool {
		if result, ok := node.(*ast.ReturnStmt); ok && len(result.Results) == 1 {
			chain.handler = types.ExprString(result.Results[0])
		}
		return true
	})
	filters := chain.statements(function.Body.List, "")
	if len(filters) == 0 {
		return nil, fmt.Errorf("%s: DefaultBuildHandlerChain puts no filters around what it returns", path)
	}
	return filters, nil
}

// wrapping finds the filters that are put around a handler, the outermost first.
type wrapping struct{ handler string }

func (w wrapping) statements(list []ast.Stmt, condition string) (filters []filter) {
	for _, statement := range slices.Backward(list) {
		switch s := statement.(type) {
		case *ast.BlockStmt:
			filters = append(filters, w.statements(s.List, condition)...)
		case *ast.AssignStmt:
			if len(s.Lhs) == 1 && types.ExprString(s.Lhs[0]) == w.handler {
				filters = append(filters, w.calls(s.Rhs[0], condition)...)
			}
		case *ast.IfStmt:
			holds := types.ExprString(s.Cond)
			filters = append(filters, w.statements(s.Body.List, and(condition, holds))...)
			if s.Else != nil {
				filters = append(filters, w.statements([]ast.Stmt{s.Else}, and(condition, "!("+holds+")"))...)
			}
		}
	}
	return filters
}

// calls returns the calls in an expression that have the handler as an argument. Calls that only
// measure are left out.
func (w wrapping) calls(expression ast.Expr, condition string) (filters []filter) {
	call, ok := expression.(*ast.CallExpr)
	if !ok {
		return nil
	}
	wraps := false
	for _, argument := range call.Args {
		filters = append(filters, w.calls(argument, condition)...)
		wraps = wraps || types.ExprString(argument) == w.handler
	}
	if name := lastName(call.Fun); (wraps || filters != nil) && !strings.HasPrefix(name, "Track") {
		filters = append([]filter{{name, types.ExprString(call), condition}}, filters...)
	}
	return filters
}

func and(condition, another string) string {
	return strings.TrimPrefix(condition+" && "+another, " && ")
}
