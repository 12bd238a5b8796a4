package repo

import (
	"go/ast"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Import paths that several rules use.
const (
	pollPackage       = "k8s.io/apimachinery/pkg/util/wait"
	eventuallyPackage = module + "/pkg/apf/test/eventually"
	goleakPackage     = "go.uber.org/goleak"
	requirePackage    = "github.com/stretchr/testify/require"
	assertPackage     = "github.com/stretchr/testify/assert"
)

// selected returns the name that node selects from the package, or "" if it
// does not.
func (f goFile) selected(node ast.Node, pkg string) string {
	selector, ok := node.(*ast.SelectorExpr)
	if !ok {
		return ""
	}
	if from, ok := selector.X.(*ast.Ident); ok && from.Name == f.imports[pkg] {
		return selector.Sel.Name
	}
	return ""
}

// asserted returns the name of the testify assertion that node calls, or "" if it calls none. Calls
// of require end the test, calls of assert do not.
func (f goFile) asserted(node ast.Node) (name string, ends bool) {
	call, ok := node.(*ast.CallExpr)
	if !ok {
		return "", false
	}
	if name = f.selected(call.Fun, requirePackage); name != "" {
		return name, true
	}
	return f.selected(call.Fun, assertPackage), false
}

// isTestType reports whether the type is *testing.T, testing.TB or similar. It
// checks only the name: interfaces of this project are called TB too.
func isTestType(expr ast.Expr) bool {
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	if name, ok := expr.(*ast.Ident); ok {
		return name.Name == "TB"
	}
	selector, ok := expr.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	from, _ := selector.X.(*ast.Ident)
	inTesting := from != nil && from.Name == "testing"
	return selector.Sel.Name == "TB" || inTesting && slices.Contains([]string{"T", "B", "F"}, selector.Sel.Name)
}

// testNames returns the names of parameters, variables and fields that hold a
// test, and "t", which may be a field of a type in another file.
func (f goFile) testNames() map[string]bool {
	names := map[string]bool{"t": true}
	ast.Inspect(f.syntax, func(node ast.Node) bool {
		if field, ok := node.(*ast.Field); ok && isTestType(field.Type) {
			for _, name := range field.Names {
				names[name.Name] = true
			}
		}
		return true
	})
	return names
}

// isTestValue reports whether an expression is a test, or a field that holds
// one.
func isTestValue(node ast.Node, names map[string]bool) bool {
	switch node := node.(type) {
	case *ast.Ident:
		return names[node.Name]
	case *ast.SelectorExpr:
		return names[node.Sel.Name]
	}
	return false
}

// declaresTest reports whether a function has a parameter that is a test. The
// caller is then responsible for its use.
func declaresTest(function *ast.FuncType) bool {
	for _, field := range function.Params.List {
		if isTestType(field.Type) {
			return true
		}
	}
	return false
}

// faultsIn returns the faults that find reports for a test file with this
// content after its package clause.
func faultsIn(t *testing.T, find func(goFile) []string, source string) []string {
	t.Helper()
	return find(parseFile(t, "pkg/a/a_test.go", []byte("package a;"+source)))
}

// example is Go code and the number of faults that a rule finds in it.
type example struct {
	name, source string
	faults       int
}

func checkExamples(t *testing.T, find func(goFile) []string, examples []example) {
	t.Helper()
	for _, example := range examples {
		t.Run(example.name, func(t *testing.T) {
			assert.Len(t, faultsIn(t, find, example.source), example.faults)
		})
	}
}
