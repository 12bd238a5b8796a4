package repo

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// rulesOfLuck returns the rules against tests that fail by chance or are slow.
// They check syntax, one file at a time, and not what a helper does with a test
// that it receives.
func rulesOfLuck() map[string]func(goFile) []string {
	return map[string]func(goFile) []string{
		"sleeps and skips":                             sleepsAndSkips,
		"ports that are given away":                    inTests(portZero),
		"randomness without a seed":                    inTests(unseeded),
		"polls that are not pkg/apf/test/eventually's": inTests(rawPolls),
		"the test itself within an attempt":            inTests(testInAttempt),
		"assertions on the wall clock":                 inTests(wallClock),
		"a test ended outside of its goroutine":        inTests(endsElsewhere),
	}
}

func TestNothingInTestsIsLeftToLuck(t *testing.T) {
	files := goFiles(t)
	for name, find := range rulesOfLuck() {
		t.Run(name, func(t *testing.T) {
			for _, file := range files {
				for _, fault := range find(file) {
					t.Error(fault)
				}
			}
		})
	}
}

// inTests restricts a rule to tests and to packages that only tests use.
func inTests(find func(goFile) []string) func(goFile) []string {
	return func(file goFile) []string {
		if !file.isTest() && !strings.HasPrefix(file.name, "test/") {
			return nil
		}
		return find(file)
	}
}

func TestRulesOfLuckBindTestsAlone(t *testing.T) {
	const source = `import "math/rand/v2"; var n = rand.Int()`
	require.Len(t, faultsIn(t, inTests(unseeded), source), 1)
	require.Empty(t, faultsIn(t, func(file goFile) []string {
		file.name = "pkg/a/a.go"
		return inTests(unseeded)(file)
	}, source))
}
