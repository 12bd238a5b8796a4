package repo

import (
	"go/ast"
	"maps"
	"strings"
	"testing"
)

// rawPolls finds waits that do not use pkg/apf/test/eventually. Only that package has a
// common grace period and reports the failed assertion.
func rawPolls(file goFile) (faults []string) {
	const right = " is not the way to wait: use eventually.Holds, or eventually.Within outside of a test (pkg/apf/test/eventually)"
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		if name := file.selected(node, pollPackage); strings.HasPrefix(name, "Poll") || strings.HasPrefix(name, "Exponential") {
			faults = append(faults, file.at(node.Pos())+": wait."+name+right)
		}
		for _, pkg := range []string{requirePackage, assertPackage} {
			if name := file.selected(node, pkg); strings.HasPrefix(name, "Eventually") || strings.HasPrefix(name, "Never") {
				faults = append(faults, file.at(node.Pos())+": "+name+right)
			}
		}
		if name := file.selected(node, goleakPackage); strings.HasPrefix(name, "Verify") {
			faults = append(faults, file.at(node.Pos())+": goleak."+name+" waits shorter than a work queue takes to end: use leaks.Main or leaks.None (pkg/apf/test/leaks)")
		}
		return true
	})
	return faults
}

func TestRawPollsAreFound(t *testing.T) {
	checkExamples(t, rawPolls, []example{
		{"Kubernetes' poll", `import "k8s.io/apimachinery/pkg/util/wait"; func f() { wait.PollUntilContextTimeout(ctx, 1, 2, true, so) }`, 1},
		{"testify's poll", `import "github.com/stretchr/testify/require"; func f() { require.Eventually(t, so, 2, 1) }`, 1},
		{"testify's poll of assertions", `import "github.com/stretchr/testify/assert"; func f() { assert.EventuallyWithT(t, so, 2, 1) }`, 1},
		{"a poll that nothing happens", `import "github.com/stretchr/testify/require"; func f() { require.Never(t, so, 2, 1) }`, 1},
		{"one wait with a limit", `import "time"; func f() { select { case <-done: case <-time.After(1): } }`, 0},
		{"goleak's own wait", `import "go.uber.org/goleak"; func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }`, 1},
		{"the one way", `import "` + eventuallyPackage + `"; func f() { eventually.Holds(t, "so", so) }`, 0},
		{"what a wait may return", `import "k8s.io/apimachinery/pkg/util/wait"; var is = wait.Interrupted(err)`, 0},
	})
}

// testInAttempt finds uses of the test's t within an attempt. A failure on t
// ends the test at once instead of the attempt. It does not check helpers that
// receive the test in another way, such as through a method's receiver.
func testInAttempt(file goFile) (faults []string) {
	names := file.testNames()
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		var function *ast.FuncType
		var body *ast.BlockStmt
		switch node := node.(type) {
		case *ast.FuncLit:
			function, body = node.Type, node.Body
		case *ast.FuncDecl:
			function, body = node.Type, node.Body
		default:
			return true
		}
		if body == nil || !takesAttempt(file, function) {
			return true
		}
		faults = append(faults, testUses(file, body, withoutParameters(names, function))...)
		return true
	})
	return faults
}

// takesAttempt reports whether a function has a parameter of type
// *eventually.Attempt.
func takesAttempt(file goFile, function *ast.FuncType) bool {
	for _, field := range function.Params.List {
		if star, ok := field.Type.(*ast.StarExpr); ok && file.selected(star.X, eventuallyPackage) == "Attempt" {
			return true
		}
	}
	return false
}

// withoutParameters returns the names that a function's parameters do not
// shadow.
func withoutParameters(names map[string]bool, function *ast.FuncType) map[string]bool {
	names = maps.Clone(names)
	for _, field := range function.Params.List {
		for _, name := range field.Names {
			delete(names, name.Name)
		}
	}
	return names
}

// testUses returns the places in a body that use the test.
func testUses(file goFile, body ast.Node, names map[string]bool) (faults []string) {
	ast.Inspect(body, func(node ast.Node) bool {
		if literal, ok := node.(*ast.FuncLit); ok && declaresTest(literal.Type) {
			return false
		}
		if key, ok := node.(*ast.KeyValueExpr); ok { // a key is a field's name, not a use
			faults = append(faults, testUses(file, key.Value, names)...)
			return false
		}
		if !isTestValue(node, names) {
			return true
		}
		faults = append(faults, file.at(node.Pos())+": within an attempt the test's own t ends the test at once: "+
			"use the *eventually.Attempt, for assertions and for its Context")
		return false
	})
	return faults
}

func TestUsesOfTheTestWithinAnAttemptAreFound(t *testing.T) {
	const imports = `import ("testing"; "github.com/stretchr/testify/require"; "` + eventuallyPackage + `");`
	holds := func(statements string) string {
		return imports + `func TestA(t *testing.T) { eventually.Holds(t, "so", func(a *eventually.Attempt) {` + statements + `}) }`
	}
	checkExamples(t, testInAttempt, []example{
		{"a requirement on the test", holds(`require.True(t, so)`), 1},
		{"a requirement on the test that a field holds", holds(`require.True(s.t, so)`), 1},
		{"a failure of the test", holds(`if !so { t.Fatal("no") }`), 1},
		{"a helper that gets the test", holds(`require.True(a, so(t))`), 1},
		{"the test's context", holds(`require.NoError(a, do(t.Context()))`), 1},
		{"deeper", holds(`for range 2 { func() { require.True(t, so) }() }`), 1},
		{
			"in a function with a name",
			imports + `func ready(t testing.TB) func(*eventually.Attempt) { return func(a *eventually.Attempt) { require.True(t, so) } }`, 1,
		},
		{"under another name", imports + `func BenchmarkA(b *testing.B) { eventually.Within(ctx, func(a *eventually.Attempt) { require.True(b, so) }) }`, 1},
		{"requirements on the attempt", holds(`require.NoError(a, do(a.Context()))`), 0},
		{"an attempt that is called t", imports + `func TestA(t *testing.T) { eventually.Holds(t, "so", func(t *eventually.Attempt) { require.True(t, so) }) }`, 0},
		{"a requirement after the attempts", holds(``) + `; func TestB(t *testing.T) { require.True(t, so) }`, 0},
	})
}
