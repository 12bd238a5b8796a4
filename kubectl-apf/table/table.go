package table

import (
	"bufio"
	"io"
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

// Column is a column of a table.
type Column struct {
	Name string
	// Number aligns the column right.
	Number bool
	// Optional is more than 0 for a column that may be left out. Where the table is too
	// wide, columns are left out from the highest Optional on.
	Optional int
	// Wide is true for a column that only wide tables have.
	Wide bool
}

// Table is a table of texts. Each row has a cell for each column.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// Options say how a table is written.
type Options struct {
	// Width is the terminal's, in characters; 0: unlimited.
	Width int
	// Wide writes all columns and shortens nothing, whatever the width.
	Wide bool
}

// Write writes the table. Control characters in cells are written as escape
// sequences, because cells may come from clients.
func (t Table) Write(w io.Writer, options Options) error {
	l := newLayout(t)
	if !options.Wide {
		l.omit(func(c Column) bool { return c.Wide })
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
	columns []Column
	shown   []bool
	widths  []int // in characters, by column
	rows    [][]string
}

func newLayout(t Table) *layout {
	header := make([]string, len(t.Columns))
	l := &layout{columns: t.Columns, shown: make([]bool, len(t.Columns)), widths: make([]int, len(t.Columns))}
	for i, column := range t.Columns {
		header[i], l.shown[i] = column.Name, true
	}
	l.rows = append(l.rows, header)
	for _, row := range t.Rows {
		cells := make([]string, len(t.Columns))
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
func (l *layout) omit(unwanted func(Column) bool) {
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
				highest = max(highest, column.Optional)
			}
		}
		if highest == 0 {
			break
		}
		l.omit(func(c Column) bool { return c.Optional == highest })
	}
	for l.width() > width {
		widest := l.widestText()
		if widest < 0 {
			return
		}
		l.widths[widest] = max(shortest, l.widths[widest]-(l.width()-width), l.secondText(widest))
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
		if l.shown[i] && !column.Number && l.widths[i] > shortest && (widest < 0 || l.widths[i] > l.widths[widest]) {
			widest = i
		}
	}
	return widest
}

// secondText returns how narrow column alone becomes, before it is as narrow as the next widest
// text: one character less, so that they take turns.
func (l *layout) secondText(widest int) int {
	second := 0
	for i, column := range l.columns {
		if i != widest && l.shown[i] && !column.Number {
			second = max(second, l.widths[i])
		}
	}
	return min(second, l.widths[widest]) - 1
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
		if column.Number {
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
