package repo

import (
	"go/ast"
	"slices"
	"strings"
	"testing"
)

// The clock of a configuration is used by all that it configures: what names the real clock bypasses
// it. Configurations name it as their default.
func TestOnlyConfigurationsNameTheRealClock(t *testing.T) {
	defaults := []string{"pkg/server/config.go", "pkg/apf/apf.go", "pkg/apf/options/options.go"}
	for _, file := range goFiles(t) {
		configured := strings.HasPrefix(file.name, "pkg/server/") || strings.HasPrefix(file.name, "pkg/registry/") || strings.HasPrefix(file.name, "pkg/apf/")
		if !configured || strings.HasSuffix(file.name, "_test.go") || slices.Contains(defaults, file.name) {
			continue
		}
		for _, fault := range realClocks(file) {
			t.Errorf("%s: take the clock of the configuration", fault)
		}
	}
}

// realClocks returns where a file names the real clock.
func realClocks(file goFile) (found []string) {
	ast.Inspect(file.syntax, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok && file.selected(selector, "k8s.io/utils/clock") == "RealClock" {
			found = append(found, file.at(selector.Pos()))
		}
		return true
	})
	return found
}

func TestRealClocksAreFound(t *testing.T) {
	checkExamples(t, realClocks, []example{
		{"one", `import "k8s.io/utils/clock"; var c = clock.RealClock{}`, 1},
		{"one by another name", `import utilclock "k8s.io/utils/clock"; var c = utilclock.RealClock{}`, 1},
		{"the clock of a test", `import "k8s.io/utils/clock/testing"; var c = testing.FakeClock{}`, 0},
	})
}
