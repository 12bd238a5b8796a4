package repo

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// endsElsewhere finds calls that end the test in another goroutine. Such a call
// ends only that goroutine, and the test hangs or continues. It checks function
// literals that are started by go, by a method Go (of a sync.WaitGroup or an
// errgroup) or by an AfterFunc, HTTP handlers of package http, and the
// arguments of a go statement. It does not check helpers that receive the test
// in another way.
func endsElsewhere(file goFile) (faults []string) {
	names := file.testNames()
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		for _, started := range startedBy(file, node) {
			faults = append(faults, endsIn(file, started, names)...)
		}
		statement, ok := node.(*ast.GoStmt)
		if ok && slices.ContainsFunc(statement.Call.Args, func(argument ast.Expr) bool { return isTestValue(argument, names) }) {
			faults = append(faults, file.at(node.Pos())+": a goroutine that gets the test may end it, which only the test's own goroutine can: "+
				"give it a channel for its errors")
		}
		return true
	})
	slices.Sort(faults)
	return slices.Compact(faults) // a nested goroutine reports a fault twice
}

// startedBy returns the function literals that a statement or call runs in
// another goroutine.
func startedBy(file goFile, node ast.Node) (started []*ast.FuncLit) {
	switch node := node.(type) {
	case *ast.GoStmt:
		if literal, ok := node.Call.Fun.(*ast.FuncLit); ok {
			started = append(started, literal)
		}
	case *ast.CallExpr:
		method, ok := node.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"Go", "AfterFunc"}, method.Sel.Name) && !strings.HasPrefix(file.selected(method, "net/http"), "Handle") {
			return nil
		}
		for _, argument := range node.Args {
			if literal, ok := argument.(*ast.FuncLit); ok {
				started = append(started, literal)
			}
		}
	}
	return started
}

// endsIn returns the places of a function literal that end the test.
func endsIn(file goFile, literal *ast.FuncLit, names map[string]bool) (faults []string) {
	names = withoutParameters(names, literal.Type)
	ast.Inspect(literal.Body, func(node ast.Node) bool {
		if inner, ok := node.(*ast.FuncLit); ok && (declaresTest(inner.Type) || takesAttempt(file, inner.Type)) {
			return false
		}
		call, ok := node.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, _ := call.Fun.(*ast.SelectorExpr)
		_, requires := file.asserted(call)
		ends := method != nil && isTestValue(method.X, names) && (strings.HasPrefix(method.Sel.Name, "Fatal") || method.Sel.Name == "FailNow")
		if ends || requires && len(call.Args) > 0 && isTestValue(call.Args[0], names) {
			faults = append(faults, file.at(node.Pos())+": this ends a goroutine that is not the test's, and the test goes on: "+
				"use assert or t.Error here, or send the error to the test's goroutine")
		}
		return true
	})
	return faults
}

func TestEndsOutsideOfTheTestsGoroutineAreFound(t *testing.T) {
	test := func(statements string) string {
		return `import ("net/http"; "testing"; "time"; "github.com/stretchr/testify/assert"; "github.com/stretchr/testify/require");
			func TestA(t *testing.T) {` + statements + `}`
	}
	checkExamples(t, endsElsewhere, []example{
		{"a requirement", test(`go func() { require.True(t, so) }()`), 1},
		{"a failure", test(`go func() { if !so { t.Fatalf("no") } }()`), 1},
		{"in a wait group", test(`running.Go(func() { require.True(t, so) })`), 1},
		{"in an error group", test(`group.Go(func() error { t.FailNow(); return nil })`), 1},
		{"later", test(`time.AfterFunc(time.Second, func() { t.Fatal("late") })`), 1},
		{"in a handler", test(`server := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { require.True(t, so) })`), 1},
		{"on a test that a field holds", `import "github.com/stretchr/testify/require"; func (s *site) f() { go func() { require.True(s.t, so) }() }`, 1},
		{"in a goroutine of a goroutine", test(`go func() { go func() { require.True(t, so) }() }()`), 1},
		{"in what gets the test", test(`go serve(t, listener)`), 1},
		{"an assertion", test(`go func() { assert.True(t, so) }()`), 0},
		{"an error", test(`go func() { t.Error("no") }()`), 0},
		{"a test of its own", test(`go func() { t.Run("a", func(t *testing.T) { require.True(t, so) }) }()`), 0},
		{"in the test's goroutine", test(`running.Wait(); require.True(t, so)`), 0},
	})
}
