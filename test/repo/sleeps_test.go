package repo

import (
	"go/ast"
	"strings"
	"testing"
)

// sleepsAndSkips returns the sleeps and skips in a file.
func sleepsAndSkips(file goFile) (faults []string) {
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		selector, ok := node.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		receiver, _ := selector.X.(*ast.Ident)
		switch {
		case file.selected(selector, "time") == "Sleep":
			faults = append(faults, file.at(node.Pos())+": sleeping makes a test slow or flaky: wait for what is waited for, "+
				"with a channel, eventually.Holds or testing/synctest")
		case file.isTest() && receiver != nil && receiver.Name == "t" && strings.HasPrefix(selector.Sel.Name, "Skip"):
			faults = append(faults, file.at(node.Pos())+": a skipped test proves nothing: make it run everywhere, put it into "+
				"the long lane (see pkg/apf/test/lane), or delete it")
		}
		return true
	})
	return faults
}

func TestSleepsAndSkipsAreFound(t *testing.T) {
	checkExamples(t, sleepsAndSkips, []example{
		{"a sleep", `import "time"; func f() { time.Sleep(1) }`, 1},
		{"a sleep under another name", `import clock "time"; func f() { clock.Sleep(1) }`, 1},
		{"a sleep passed on as a value", `import "time"; var s = time.Sleep`, 1},
		{"a skip", `func f(t *testing.T) { t.Skip("later") }`, 1},
		{"a method of that name on another value", `func f() { line.Skip() }`, 0},
		{"another function of the package", `import "time"; func f() { time.After(1) }`, 0},
	})
}
