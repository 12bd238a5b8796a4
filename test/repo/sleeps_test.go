package repo

import (
	"go/parser"
	"go/token"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSleepsAndSkipsAreFound(t *testing.T) {
	for _, test := range []struct {
		name, source string
		faults       int
	}{
		{"a sleep", `import "time"; func f() { time.Sleep(1) }`, 1},
		{"a sleep under another name", `import clock "time"; func f() { clock.Sleep(1) }`, 1},
		{"a sleep passed on as a value", `import "time"; var s = time.Sleep`, 1},
		{"a skip", `func f(t *testing.T) { t.Skip("later") }`, 1},
		{"a method of that name on another value", `func f() { line.Skip() }`, 0},
		{"another function of the package", `import "time"; func f() { time.After(1) }`, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			positions := token.NewFileSet()
			syntax, err := parser.ParseFile(positions, "a_test.go", "package a;"+test.source, 0)
			require.NoError(t, err)
			assert.Len(t, sleepsAndSkips(goFile{name: "a_test.go", syntax: syntax, positions: positions}), test.faults)
		})
	}
}
