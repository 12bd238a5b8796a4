package replica

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// row has the values of a row by the lower-case name of their column.
type row map[string]string

const (
	// firstColumn is the first column of every dump.
	firstColumn = "prioritylevelname"
	// maxRows, maxColumns and maxJSON bound what is read of a response, which may come from a stranger. maxJSON is in
	// bytes: JSON takes some ten times as much memory.
	maxRows, maxColumns, maxJSON = 50_000, 100, 1 << 25
)

// tooManyRows is the fault of a dump with more rows than are read.
func tooManyRows() string { return fmt.Sprintf("Only the first %d rows are read.", maxRows) }

// parseRows returns the rows of a response and sentences about what it could not read.
func parseRows(body []byte) (rows []row, faults []string) {
	body = trimStart(body)
	trimmed := bytes.TrimSpace(body)
	switch {
	case len(trimmed) == 0:
		return nil, []string{"The response is empty."}
	case trimmed[0] == '[':
		return parseJSON(trimmed)
	default:
		return parseText(body)
	}
}

// parseJSON reads an array of objects.
func parseJSON(body []byte) (rows []row, faults []string) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	if _, err := decoder.Token(); err != nil {
		return nil, []string{fmt.Sprintf("The response is not JSON: %v.", err)}
	}
	for decoder.More() {
		if len(rows) == maxRows {
			return rows, []string{tooManyRows()}
		}
		var object map[string]any
		if err := decoder.Decode(&object); err != nil {
			return rows, []string{fmt.Sprintf("The response ends after %d rows: %v.", len(rows), err)}
		}
		rows = append(rows, rowOf(object))
	}
	if _, err := decoder.Token(); err != nil {
		return rows, []string{fmt.Sprintf("The response ends after %d rows: %v.", len(rows), err)}
	}
	return rows, nil
}

func rowOf(object map[string]any) row {
	out := make(row, len(object))
	for name, value := range object {
		switch value := value.(type) {
		case string:
			out[strings.ToLower(name)] = value
		case json.Number, bool:
			out[strings.ToLower(name)] = fmt.Sprint(value)
		}
	}
	return out
}

// parseText reads the table that text/tabwriter makes of cells that are separated by a
// comma and a tab. The first line has the names of the columns.
func parseText(body []byte) (rows []row, faults []string) {
	lines := strings.SplitN(string(body), "\n", maxRows+2) // the header is one, and the rest
	switch last := len(lines) - 1; {
	case lines[last] == "":
	case last > maxRows:
		faults = append(faults, tooManyRows())
	default:
		faults = append(faults, "The last row is cut off.")
	}
	lines = lines[:len(lines)-1]
	if len(lines) == 0 {
		return nil, faults
	}
	columns := newColumns(strings.TrimSuffix(lines[0], "\r"))
	if columns.names[0] != firstColumn {
		return nil, []string{"The first line does not name the columns of a dump."}
	}
	if slices.Contains(columns.names, "requestindexinqueue") && !slices.Contains(columns.names, "starttime") {
		faults = append(faults, "It lacks the executing requests: API servers report them from Kubernetes 1.28 on.")
	}
	bad, total := 0, 0
	for _, line := range lines[1:] {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		total++
		if cells := columns.split(line); cells != nil {
			rows = append(rows, columns.row(cells))
		} else {
			bad++
		}
	}
	if bad > 0 {
		faults = append(faults, fmt.Sprintf("%d of %d rows are omitted: they do not have the columns of the first line.", bad, total))
	}
	return rows, faults
}

// columns are the columns of a text table.
type columns struct {
	names []string
	// starts are the positions of the columns in the header, in runes, which the
	// tabwriter counts.
	starts []int
}

func newColumns(header string) columns {
	var c columns
	at := 0
	for _, cell := range strings.SplitN(header, ",", maxColumns+1) {
		name := strings.TrimLeft(cell, " \t")
		c.starts = append(c.starts, at+utf8.RuneCountInString(cell)-utf8.RuneCountInString(name))
		c.names = append(c.names, strings.ToLower(strings.TrimSpace(name)))
		at += utf8.RuneCountInString(cell) + 1
	}
	return c
}

func (c columns) row(cells []string) row {
	out := make(row, len(cells))
	for i, name := range c.names {
		out[name] = cells[i]
	}
	return out
}

// split returns the cells of a line, or nil if it has not the columns of the header.
func (c columns) split(line string) []string {
	if cells := splitAtCommas(line, len(c.names)+1); len(cells) == len(c.names) {
		return cells
	}
	return c.splitAtPositions(line)
}

// splitAtCommas splits a line after each comma that white space or its end follows, into most cells at most.
func splitAtCommas(line string, most int) []string {
	var cells []string
	start := 0
	for i := 0; i < len(line) && len(cells) < most; i++ {
		if line[i] == ',' && (i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\t') {
			cells = append(cells, strings.TrimSpace(line[start:i]))
			start = i + 1
		}
	}
	return append(cells, strings.TrimSpace(line[start:]))
}

// splitAtPositions splits a line where the columns of the header begin. A cell with a
// comma and a space, as in a user's name, is split correctly.
func (c columns) splitAtPositions(line string) []string {
	offsets := runeOffsets(line)
	var cells []string
	for i, start := range c.starts {
		if start >= len(offsets) {
			return nil
		}
		if i+1 == len(c.starts) {
			return append(cells, strings.TrimSpace(line[offsets[start]:]))
		}
		end := c.starts[i+1]
		if end >= len(offsets) {
			return nil
		}
		cell, terminated := strings.CutSuffix(strings.TrimRight(line[offsets[start]:offsets[end]], " "), ",")
		if !terminated {
			return nil
		}
		cells = append(cells, cell)
	}
	return cells
}

// runeOffsets returns the offset in bytes of each rune and of the end.
func runeOffsets(line string) []int {
	offsets := make([]int, 0, len(line)+1)
	for i := range line {
		offsets = append(offsets, i)
	}
	return append(offsets, len(line))
}
