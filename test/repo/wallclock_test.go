package repo

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// wallClock finds assertions and failure conditions that read the clock. They
// fail on a busy machine. It follows a reading through variables of the same
// function, not through calls. The function that synctest.Test runs is exempt,
// because its time is virtual.
func wallClock(file goFile) (faults []string) {
	for _, declaration := range file.syntax.Decls {
		if function, ok := declaration.(*ast.FuncDecl); ok && function.Body != nil {
			faults = append(faults, wallClockIn(file, function.Body)...)
		}
	}
	return faults
}

func wallClockIn(file goFile, body *ast.BlockStmt) (faults []string) {
	readings := readings(file, body)
	ast.Inspect(body, func(node ast.Node) bool {
		if call, ok := node.(*ast.CallExpr); ok && file.selected(call.Fun, "testing/synctest") == "Test" {
			return false
		}
		switch node := node.(type) {
		case *ast.CallExpr:
			if name, _ := file.asserted(node); name == "" || !anyReads(file, readings, node.Args...) {
				return true
			}
		case *ast.IfStmt:
			if !fails(node.Body) || !anyReads(file, readings, node.Cond) {
				return true
			}
		default:
			return true
		}
		faults = append(faults, file.at(node.Pos())+": a busy machine takes longer: count steps instead, measure in virtual time "+
			"(testing/synctest, a fake clock) or in a benchmark, and wait with eventually.Holds")
		return true
	})
	return faults
}

// readings returns the variables of a function that hold an elapsed time.
func readings(file goFile, body *ast.BlockStmt) map[string]bool {
	names := map[string]bool{}
	ast.Inspect(body, func(node ast.Node) bool {
		assignment, ok := node.(*ast.AssignStmt)
		if !ok || len(assignment.Lhs) != len(assignment.Rhs) {
			return true
		}
		for i, value := range assignment.Rhs {
			name, ok := assignment.Lhs[i].(*ast.Ident)
			if ok && elapses(file, value) {
				names[name.Name] = true
			}
		}
		return true
	})
	return names
}

// elapses reports whether an expression computes an elapsed time.
func elapses(file goFile, expr ast.Expr) (found bool) {
	ast.Inspect(expr, func(node ast.Node) bool {
		if _, ok := node.(*ast.FuncLit); ok {
			return false
		}
		switch file.selected(node, "time") {
		case "Since", "Until":
			found = true
		}
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if ok && slices.Contains([]string{"Sub", "Before", "After", "Compare"}, method.Sel.Name) && (asksNow(file, method.X) || len(call.Args) == 1 && asksNow(file, call.Args[0])) {
			found = true
		}
		return true
	})
	return found
}

// asksNow reports whether an expression calls time.Now.
func asksNow(file goFile, expr ast.Expr) bool {
	call, ok := expr.(*ast.CallExpr)
	return ok && file.selected(call.Fun, "time") == "Now"
}

// anyReads reports whether one of the expressions is or contains a reading.
func anyReads(file goFile, readings map[string]bool, exprs ...ast.Expr) (found bool) {
	for _, expr := range exprs {
		found = found || elapses(file, expr)
		ast.Inspect(expr, func(node ast.Node) bool {
			name, ok := node.(*ast.Ident)
			found = found || ok && readings[name.Name]
			return true
		})
	}
	return found
}

// fails reports whether a block fails the test.
func fails(block *ast.BlockStmt) (found bool) {
	ast.Inspect(block, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		found = found || ok && isTestValue(method.X, map[string]bool{"t": true, "b": true, "tb": true}) &&
			(strings.HasPrefix(method.Sel.Name, "Fatal") || strings.HasPrefix(method.Sel.Name, "Error") || strings.HasPrefix(method.Sel.Name, "Fail"))
		return true
	})
	return found
}

func TestAssertionsOnTheWallClockAreFound(t *testing.T) {
	test := func(statements string) string {
		return `import ("testing"; "testing/synctest"; "time"; "github.com/stretchr/testify/assert"; "github.com/stretchr/testify/require");
			func TestA(t *testing.T) {` + statements + `}`
	}
	checkExamples(t, wallClock, []example{
		{"a limit that is required", test(`require.Less(t, time.Since(begin), time.Second)`), 1},
		{"a limit that is asserted", test(`assert.WithinRange(t, at, begin, begin.Add(time.Since(begin)))`), 1},
		{"by a variable", test(`took := time.Since(begin); require.Less(t, took, time.Second)`), 1},
		{"a difference to now", test(`require.Less(t, time.Now().Sub(begin), time.Second)`), 1},
		{"a moment that has passed", test(`require.True(t, time.Now().After(end))`), 1},
		{"a failure under a condition", test(`if time.Since(begin) > time.Second { t.Errorf("slow") }`), 1},
		{"a failure under a condition on a variable", test(`took := time.Since(begin); if took > time.Second { t.Fatal("slow") }`), 1},
		{"in virtual time", test(`synctest.Test(t, func(t *testing.T) { require.Equal(t, time.Second, time.Since(begin)) })`), 0},
		{"a time that is only told", test(`t.Logf("took %v", time.Since(begin))`), 0},
		{"a time that a token holds", test(`require.Equal(t, want, claims(time.Now().Add(time.Hour)))`), 0},
	})
}
