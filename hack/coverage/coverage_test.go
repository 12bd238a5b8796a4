package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func profileOf(t *testing.T, lines ...string) *profile {
	t.Helper()
	p := newProfile()
	require.NoError(t, p.read(strings.NewReader("mode: set\n"+modulePath+strings.Join(lines, "\n"+modulePath)+"\n")))
	return p
}

func TestStatementsCountThatAnyPartRuns(t *testing.T) {
	unit := profileOf(t, "pkg/a/a.go:1.1,2.2 6 1", "pkg/a/a.go:3.1,4.2 2 0", "pkg/b/b.go:1.1,2.2 2 0", "pkg/a/a.go:3.1,4.2 2 0")
	e2e := profileOf(t, "pkg/a/a.go:1.1,2.2 6 0", "pkg/a/a.go:3.1,4.2 2 1", "cmd/c/c.go:1.1,2.2 10 1")
	require.Equal(t, `# Coverage

Of the product's 20 statements, in cmd/ and pkg/ and not generated, tests run
**90.0 %**. `+"`make coverage`"+` measures it and writes this file, from: unit tests, end-to-end tests.
A server that a test kills says nothing of what it ran.

| package | statements | unit tests | end-to-end tests | together |
|---|--:|--:|--:|--:|
| all | 20 | 30.0 % | 60.0 % | 90.0 % |
| `+"`cmd/c`"+` | 10 | 0.0 % | 100.0 % | 100.0 % |
| `+"`pkg/a`"+` | 8 | 75.0 % | 25.0 % | 100.0 % |
| `+"`pkg/b`"+` | 2 | 0.0 % | 0.0 % | 0.0 % |

## Files under 60 %

| file | statements | run |
|---|--:|--:|
| `+"`pkg/b/b.go`"+` | 2 | 0.0 % |
`, report([]part{{"unit tests", unit}, {"end-to-end tests", e2e}}))
}

func TestGeneratedCodeDoesNotCount(t *testing.T) {
	p := profileOf(t, "pkg/generated/openapi/x.go:1.1,2.2 5 0", "pkg/apis/zz_generated.deepcopy.go:1.1,2.2 5 0", "pkg/a/a.go:1.1,2.2 1 1")
	require.Equal(t, map[string]share{"": {1, 1}}, p.by(all))
	require.Contains(t, report([]part{{"unit tests", p}}), "None.\n")
}

func TestWhatIsNoProfileIsAnError(t *testing.T) {
	require.ErrorContains(t, newProfile().read(strings.NewReader("mode: set\nnonsense\n")), "nonsense")
}

func TestEndToEndTestsRunProgramsWithCounters(t *testing.T) {
	bin, w := t.TempDir(), workspace(t.TempDir())
	calls := filepath.Join(bin, "calls")
	script := "#!/bin/sh\necho \"$COVERAGE,$BINARIES,$GOCOVERDIR: $*\" >>" + calls + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755))
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	for _, name := range []string{"COVERAGE", "BINARIES", "GOCOVERDIR"} {
		t.Setenv(name, "")
	}
	require.NoError(t, endToEnd(t.Context(), w))
	called, err := os.ReadFile(calls)
	require.NoError(t, err)
	require.Equal(t, "1,,: run ./test/binaries/build\n"+
		"1,prebuilt,"+w.counters("e2e")+": test -count=1 -vet=off -p=2 -timeout=30m ./test/e2e/...\n", string(called))
}
