package table

import (
	"bufio"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// gap separates columns.
	gap = "  "
	// shortest is the least width of a shortened text, in characters.
	shortest = 8
	// ellipsis ends a shortened text.
	ellipsis = "…"
)

// column is a column of a table.
type column struct {
	name     string
	number   bool // aligned right
	wide     bool // only in wide tables
	optional int  // more than 0 if it may be left out
}

// Table is a table of texts. Each row has a cell for each column.
type Table struct {
	columns []column
	Rows    [][]string
}

// New returns a table with columns of these names. A name ends with > if the column has numbers, which are
// aligned right; with + if only wide tables have it; and with ?1 or a larger number if it may be left out
// where the table is too wide, the largest first.
func New(names ...string) Table {
	var t Table
	for _, name := range names {
		var c column
		if at := strings.LastIndexByte(name, '?'); at >= 0 {
			c.optional = int(name[at+1] - '0')
			name = name[:at]
		}
		name, c.wide = strings.CutSuffix(name, "+")
		c.name, c.number = strings.CutSuffix(name, ">")
		t.columns = append(t.columns, c)
	}
	return t
}

// With returns the table with further columns, named as for New.
func (t Table) With(names ...string) Table {
	t.columns = append(slices.Clip(t.columns), New(names...).columns...)
	return t
}

// Options say how a table is written.
type Options struct {
	// Width is the terminal's, in characters; 0: unlimited.
	Width int
	// Wide writes all columns and shortens nothing, whatever the width.
	Wide bool
}

// TextWidth is the width of sentences, in characters, where no terminal says another.
const TextWidth = 100

// Write writes the table. Control characters in cells are written as escape
// sequences, because cells may come from clients.
func (t Table) Write(w io.Writer, options Options) error {
	l := newLayout(t)
	if !options.Wide {
		l.omit(func(c column) bool { return c.wide })
		if options.Width > 0 {
			l.fit(options.Width)
		}
	}
	out := bufio.NewWriter(w)
	for _, row := range l.rows {
		l.writeRow(out, row)
	}
	return out.Flush()
}

// layout is a table on its way to a terminal.
type layout struct {
	columns []column
	shown   []bool
	widths  []int // in characters, by column
	rows    [][]string
}

func newLayout(t Table) *layout {
	header := make([]string, len(t.columns))
	l := &layout{columns: t.columns, shown: make([]bool, len(t.columns)), widths: make([]int, len(t.columns))}
	for i, column := range t.columns {
		header[i], l.shown[i] = column.name, true
	}
	l.rows = append(l.rows, header)
	for _, row := range t.Rows {
		cells := make([]string, len(t.columns))
		for i := range cells {
			cells[i] = Escape(row[i])
		}
		l.rows = append(l.rows, cells)
	}
	for _, row := range l.rows {
		for i, cell := range row {
			l.widths[i] = max(l.widths[i], utf8.RuneCountInString(cell))
		}
	}
	return l
}

// omit leaves out columns.
func (l *layout) omit(unwanted func(column) bool) {
	for i, column := range l.columns {
		l.shown[i] = l.shown[i] && !unwanted(column)
	}
}

// fit makes the table as narrow as width if possible.
func (l *layout) fit(width int) {
	for l.width() > width {
		highest := 0
		for i, column := range l.columns {
			if l.shown[i] {
				highest = max(highest, column.optional)
			}
		}
		if highest == 0 {
			break
		}
		l.omit(func(c column) bool { return c.optional == highest })
	}
	for l.width() > width {
		widest := l.widestText()
		if widest < 0 {
			return
		}
		l.widths[widest]-- // so that the widest texts become equally narrow
	}
}

// width returns the width of the table, in characters.
func (l *layout) width() int {
	sum := -len(gap)
	for i, width := range l.widths {
		if l.shown[i] {
			sum += len(gap) + width
		}
	}
	return sum
}

// widestText returns the widest column that can be shortened; -1 if there is none.
func (l *layout) widestText() int {
	widest := -1
	for i, column := range l.columns {
		if l.shown[i] && !column.number && l.widths[i] > shortest && (widest < 0 || l.widths[i] > l.widths[widest]) {
			widest = i
		}
	}
	return widest
}

func (l *layout) writeRow(out *bufio.Writer, row []string) {
	var line strings.Builder
	for i, column := range l.columns {
		if !l.shown[i] {
			continue
		}
		if line.Len() > 0 {
			line.WriteString(gap)
		}
		cell := shorten(row[i], l.widths[i])
		padding := strings.Repeat(" ", l.widths[i]-utf8.RuneCountInString(cell))
		if column.number {
			line.WriteString(padding + cell)
		} else {
			line.WriteString(cell + padding)
		}
	}
	_, _ = out.WriteString(strings.TrimRight(line.String(), " ") + "\n") // Flush returns the error
}

// shorten returns text with at most width characters.
func shorten(text string, width int) string {
	if utf8.RuneCountInString(text) <= width {
		return text
	}
	return string([]rune(text)[:width-1]) + ellipsis
}
