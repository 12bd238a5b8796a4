package table

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func sample(name string) Table {
	return filled([][]string{{name, "7", "245", "0", "a"}, {"exempt", "1234", "0", "12", "b"}}, "LEVEL", "SEATS>", "NOMINAL>?2", "WAITING>?1", "REPLICA+")
}

func filled(rows [][]string, columns ...string) Table {
	t := New(columns...)
	t.Rows = rows
	return t
}

func write(t *testing.T, table Table, options Options) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, table.Write(&out, options))
	return out.String()
}

func TestTable(t *testing.T) {
	long := strings.Repeat("n", 253)
	for _, test := range []struct {
		name    string
		table   Table
		options Options
		want    string
	}{
		{"numbers are aligned right, and wide columns left out", sample("system"), Options{}, "" +
			"LEVEL   SEATS  NOMINAL  WAITING\n" +
			"system      7      245        0\n" +
			"exempt   1234        0       12\n"},
		{"a wide table has all columns, on a narrow terminal too", sample("system"), Options{Width: 10, Wide: true}, "" +
			"LEVEL   SEATS  NOMINAL  WAITING  REPLICA\n" +
			"system      7      245        0  a\n" +
			"exempt   1234        0       12  b\n"},
		{"a table that fits exactly keeps its columns", sample("system"), Options{Width: 31}, "" +
			"LEVEL   SEATS  NOMINAL  WAITING\n" +
			"system      7      245        0\n" +
			"exempt   1234        0       12\n"},
		{"columns are left out from the most optional on", sample("system"), Options{Width: 30}, "" +
			"LEVEL   SEATS  WAITING\n" +
			"system      7        0\n" +
			"exempt   1234       12\n"},
		{"texts are shortened once nothing is left to leave out", sample("a-name-too-long"), Options{Width: 16}, "" +
			"LEVEL      SEATS\n" +
			"a-name-t…      7\n" +
			"exempt      1234\n"},
		{"numbers are never shortened", sample("system"), Options{Width: 3}, "" +
			"LEVEL   SEATS\n" +
			"system      7\n" +
			"exempt   1234\n"},
		{"a wide table shortens no name", filled([][]string{{long, "m"}}, "N", "M"),
			Options{Width: 60, Wide: true}, "N" + strings.Repeat(" ", 254) + "M\n" + long + "  m\n"},
		{"a table without rows has its header", New("N", "M"), Options{}, "N  M\n"},
	} {
		t.Run(test.name, func(t *testing.T) { assert.Equal(t, test.want, write(t, test.table, test.options)) })
	}
}

func TestTwoLongTextsShareTheTerminal(t *testing.T) {
	long := filled([][]string{{strings.Repeat("l", 253), strings.Repeat("s", 200), "5"}}, "LEVEL", "SCHEMA", "SEATS>")
	lines := strings.Split(write(t, long, Options{Width: 60}), "\n")
	for _, line := range lines {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 60)
	}
	assert.InDelta(t, strings.Count(lines[1], "l"), strings.Count(lines[1], "s"), 1)
	assert.True(t, strings.HasSuffix(lines[1], "  5"))
}

func TestCellsCannotControlTheTerminal(t *testing.T) {
	text := write(t, filled([][]string{{"\x1b[2Jmallory\nexempt\t"}, {`zoë "z"`}}, "USER"), Options{})
	assert.Equal(t, "USER\n\\x1b[2Jmallory\\nexempt\\t\nzoë \"z\"\n", text)
}

func TestWordsAreWrappedAtTheWidth(t *testing.T) {
	assert.Equal(t, []string{"ab çd", "longer", "ef"}, Wrap("ab  çd longer ef", 5))
	var out bytes.Buffer
	WriteWords(&out, "ab cd\x1b ef", "  ", Options{Width: 7})
	assert.Equal(t, "  ab\n  cd\\x1b\n  ef\n", out.String())
}

// full is a disk without space.
type full struct{}

var errFull = errors.New("no space left")

func (full) Write([]byte) (int, error) { return 0, errFull }

func TestErrorsOfTheOutputAreReturned(t *testing.T) {
	require.ErrorIs(t, sample("system").Write(full{}, Options{}), errFull)
}
