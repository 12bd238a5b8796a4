package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// table is an example. Apostrophes stand for backquotes.
const table = `# Proofs

| other | table |
|---|---|
| is | nothing |

## Chapter

| sentence | test |
|---|---|
| The first match decides. | 'pkg/a TestFirst'<br>'pkg/b TestCases/a case of its own' |
| Nothing is lost. | 'pkg/a TestSecond'<br>long: 'test/c TestLong' |
| It lasts. | long: 'test/c TestLong' |
`

func events(lines ...string) string {
	var text strings.Builder
	for _, line := range lines {
		fields := strings.Fields(line)
		text.WriteString(`{"Action":"` + fields[0] + `","Package":"` + modulePath + fields[1] + `","Test":"` + fields[2] + `"}` + "\n")
	}
	return text.String()
}

// held judges the table by the given files of events.
func held(t *testing.T, long bool, files ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "table.md")
	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(table, "'", "`")), 0o600))
	for i, file := range files {
		require.NoError(t, os.WriteFile(filepath.Join(dir, string(rune('a'+i))+".json"), []byte(file), 0o600))
	}
	var out bytes.Buffer
	err := run(&out, long, []string{path, filepath.Join(dir, "*.json")})
	return strings.ReplaceAll(out.String(), dir+string(filepath.Separator), ""), err
}

func all() []string {
	return []string{
		"run pkg/a TestFirst", "pass pkg/a TestFirst", "pass pkg/b TestCases/a_case_of_its_own",
		"pass pkg/b TestCases", "pass pkg/a TestSecond",
	}
}

func TestEverySentenceIsHeldByTestsThatPassed(t *testing.T) {
	out, err := held(t, false, events(all()...))
	require.NoError(t, err)
	require.Equal(t, "proofs: table.md: 3 sentences, 3 tests demanded, 0 lack theirs; 1 sentences are held by the long lane alone\n", out)
}

func TestTestsOfTheLongLaneAreDemandedOnlyThere(t *testing.T) {
	out, err := held(t, true, events(all()...))
	require.ErrorContains(t, err, "2 sentences lack a proof")
	require.Contains(t, out, `table.md:12: "Nothing is lost." lacks its proof: test/c TestLong did not run`)

	_, err = held(t, true, events(all()...), events("pass test/c TestLong"))
	require.NoError(t, err)
}

func TestATestThatDidNotPassProvesNothing(t *testing.T) {
	for name, c := range map[string]struct{ ending, says string }{
		"it failed":      {"fail pkg/a TestSecond", "pkg/a TestSecond failed"},
		"it was skipped": {"skip pkg/a TestSecond", "pkg/a TestSecond was skipped"},
		"it only began":  {"run pkg/a TestSecond", "pkg/a TestSecond did not run"},
		"it has moved":   {"pass test/new TestSecond", "did not run; is it now `test/new TestSecond`?"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := held(t, false, events(append(all()[:4], c.ending)...))
			require.ErrorContains(t, err, "1 sentences lack a proof")
			require.Contains(t, out, c.says)
		})
	}
}

func TestATestThatPassedWhenRunAgainInOneFileHasPassed(t *testing.T) {
	_, err := held(t, false, events(append([]string{"fail pkg/a TestFirst"}, all()...)...))
	require.NoError(t, err)
	out, err := held(t, false, events(all()...), events("fail pkg/a TestFirst"))
	require.Error(t, err, "another phase failed it")
	require.Contains(t, out, "TestFirst failed")
}

func TestWhatACompilerSaysIsNoEvent(t *testing.T) {
	_, err := held(t, false, "# pkg/x\nsyntax error\n"+strings.TrimSuffix(events(all()...), "\n"))
	require.NoError(t, err)
}

func TestARowWithoutATestIsAnError(t *testing.T) {
	for _, row := range []string{"| Alone. |  |", "| Alone. |", "| Alone. | to be written |", "| Alone. | `TestWithoutFolder` |", "| One. | `a TestA` | held |"} {
		_, err := parseTable(strings.NewReader("| sentence | test |\n|---|---|\n" + row + "\n"))
		require.ErrorContains(t, err, "line 3: ", row)
	}
	_, err := parseTable(strings.NewReader("no table\n"))
	require.ErrorContains(t, err, "there is no table")
	_, err = parseTable(strings.NewReader("| sentence | test |\n| One. | `a TestA` |\n| One. | `a TestB` |\n"))
	require.ErrorContains(t, err, "line 3: the sentence of line 2 stands twice")
}

func TestWithoutEventsNothingIsProved(t *testing.T) {
	_, err := held(t, false)
	require.ErrorContains(t, err, "run `make test` first")
}

// TestTheTablesCanBeRead fails if a row has the wrong format. It needs no test
// run.
func TestTheTablesCanBeRead(t *testing.T) {
	paths, err := filepath.Glob("../../docs/evidence/proofs*.md")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = parseTable(bytes.NewReader(text))
		require.NoError(t, err, path)
	}
}
