package repo

import (
	"fmt"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const benchmarks = "docs/evidence/benchmarks.md"

// figure is a measured time or size. Its value is in units of its kind, time or memory.
type figure struct {
	text, kind string
	value      float64
	// precision is half a unit of the last digit.
	precision float64
}

// figuresIn returns the times and sizes in a text.
func figuresIn(t *testing.T, text string) (found []figure) {
	t.Helper()
	units := map[string]float64{"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}
	for _, match := range regexp.MustCompile(`\b(\d+(?:\.(\d+))?) ?(ns|µs|ms|s|B|KiB|MiB|GiB)(?:[^/\w]|$)`).FindAllStringSubmatch(text, -1) {
		value, err := strconv.ParseFloat(match[1], 64)
		require.NoError(t, err)
		unit, kind := units[match[3]], "time"
		if strings.HasSuffix(match[3], "B") {
			kind = "memory"
		}
		found = append(found, figure{match[0], kind, value * unit, unit * math.Pow10(-len(match[2])) / 2})
	}
	return found
}

// rounds reports whether a figure is a rounding of another.
func (f figure) rounds(other figure) bool {
	return f.kind == other.kind && math.Abs(f.value-other.value) <= f.precision*1.0001
}

// TestFiguresAreThoseOfTheBenchmarks holds figures in other documents to be roundings of the
// rows that a comment in the same row, item or paragraph names: anchor: case; case. Each
// figure in a table of README.md has such a comment.
func TestFiguresAreThoseOfTheBenchmarks(t *testing.T) {
	rows := benchmarkRows(fileText(t, benchmarks))
	for _, name := range trackedFiles(t) {
		if path.Ext(name) != ".md" || name == benchmarks {
			continue
		}
		text := fileText(t, name)
		if !strings.Contains(text, "<!-- measured: ") && name != "README.md" {
			continue
		}
		for _, block := range markdownBlocks(text) {
			if strings.Contains(block, "<!-- measured: ") {
				checkFigures(t, name, block, rows)
			} else if name == "README.md" && strings.HasPrefix(block, "|") {
				require.Empty(t, figuresIn(t, block), "%s: say which rows of %s these figures are of, as other rows do:\n%s", name, benchmarks, block)
			}
		}
	}
}

// TestReadmeSaysHowManyLinesAdoptionTook compares README.md with the servers that were measured.
func TestReadmeSaysHowManyLinesAdoptionTook(t *testing.T) {
	var added []int
	for _, row := range regexp.MustCompile(`(?m)^\| [a-z-]+ v\S+ \| \+(\d+) `).FindAllStringSubmatch(fileText(t, "docs/evidence/adoption.md"), -1) {
		count, err := strconv.Atoi(row[1])
		require.NoError(t, err)
		added = append(added, count)
	}
	require.Len(t, added, 6)
	require.Contains(t, fileText(t, "README.md"), fmt.Sprintf("Six servers of other projects adopted it with [%d to %d lines]", slices.Min(added), slices.Max(added)))
}

// checkFigures compares the figures in a block with the rows that it names.
func checkFigures(t *testing.T, name, block string, rows map[string]string) {
	t.Helper()
	source := regexp.MustCompile(`<!-- measured: (#[^:]+): (.*?) -->`)
	var measured []figure
	for _, match := range source.FindAllStringSubmatch(block, -1) {
		for row := range strings.SplitSeq(match[2], "; ") {
			cells, known := rows[match[1]+": "+row]
			require.True(t, known, "%s has no row %q below %s, which %s names", benchmarks, row, match[1], name)
			measured = append(measured, figuresIn(t, cells)...)
		}
	}
	quoted := figuresIn(t, source.ReplaceAllString(block, ""))
	require.NotEmpty(t, quoted, "%s: no figure in\n%s", name, block)
	for _, figure := range quoted {
		require.True(t, slices.ContainsFunc(measured, figure.rounds), "%s: %s is none of the figures in %s: %v\n%s", name, figure.text, benchmarks, measured, block)
	}
}

// benchmarkRows returns the rows of all tables by the anchor of their heading and their
// first cell.
func benchmarkRows(document string) map[string]string {
	rows, anchor := map[string]string{}, ""
	for line := range strings.Lines(document) {
		if heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			words := strings.Join(strings.Fields(strings.ToLower(heading)), "-")
			anchor = "#" + regexp.MustCompile(`[^\p{L}\d_-]`).ReplaceAllString(words, "")
		}
		if cells := strings.SplitN(line, " | ", 2); len(cells) == 2 && strings.HasPrefix(line, "| ") {
			rows[anchor+": "+cells[0][2:]] = cells[1]
		}
	}
	return rows
}

// markdownBlocks returns the rows, items and paragraphs of a document.
func markdownBlocks(document string) (blocks []string) {
	for line := range strings.Lines(document) {
		isRow := strings.HasPrefix(line, "|")
		if last := len(blocks) - 1; last < 0 || isRow || strings.TrimSpace(line) == "" || strings.HasPrefix(line, "- ") || strings.HasPrefix(blocks[last], "|") {
			blocks = append(blocks, line)
		} else {
			blocks[last] += line
		}
	}
	return blocks
}
