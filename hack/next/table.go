package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// row is a line of the table of filters: the name here and in the library, each empty if it does
// not have the filter, and what a release changed.
type row struct{ ours, library, change string }

// newTable puts chains beside each other.
func newTable(ours []string, before, after []filter) (table []row) {
	var library []row
	for _, both := range merge(before, after, func(f filter) string { return f.name }) {
		library = append(library, libraryRow(both))
	}
	here := func(r row) string {
		name := r.ours + r.library
		return name[strings.LastIndex(name, ".")+1:]
	}
	rows := make([]row, len(ours))
	for i, name := range ours {
		rows[i].ours = name
	}
	for _, both := range merge(rows, library, here) {
		var r row
		if both[1] != nil {
			r = *both[1]
		}
		if both[0] != nil {
			r.ours = both[0].ours
		}
		table = append(table, r)
	}
	return table
}

// libraryRow describes a filter before and after a release.
func libraryRow(both [2]*filter) row {
	was, is := both[0], both[1]
	switch {
	case was == nil:
		return row{library: is.name, change: "new: " + is.text()}
	case is == nil:
		return row{library: was.name, change: "gone: " + was.text()}
	case *was != *is:
		return row{library: is.name, change: "changed: " + was.text() + " -> " + is.text()}
	}
	return row{library: is.name}
}

func (f filter) text() string {
	if f.condition == "" {
		return f.call
	}
	return f.call + " if " + f.condition
}

// merge puts two lists beside each other, so that most elements with the same name are in one row.
func merge[T any](left, right []T, name func(T) string) (rows [][2]*T) {
	// common[i][j] is the largest number of rows with both, of left[i:] and right[j:].
	common := make([][]int, len(left)+1)
	for i := range common {
		common[i] = make([]int, len(right)+1)
	}
	for i, l := range slices.Backward(left) {
		for j, r := range slices.Backward(right) {
			common[i][j] = max(common[i+1][j], common[i][j+1])
			if name(l) == name(r) {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	i, j := 0, 0
	for i < len(left) || j < len(right) {
		switch {
		case i < len(left) && j < len(right) && name(left[i]) == name(right[j]):
			rows = append(rows, [2]*T{&left[i], &right[j]})
			i, j = i+1, j+1
		case j == len(right) || i < len(left) && common[i+1][j] >= common[i][j+1]:
			rows = append(rows, [2]*T{&left[i], nil})
			i++
		default:
			rows = append(rows, [2]*T{nil, &right[j]})
			j++
		}
	}
	return rows
}

func printTable(out io.Writer, before, after string, table []row) {
	columns := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(columns, "  this server\tk8s.io/apiserver %s\tsince %s\n", after, before)
	for _, r := range table {
		fmt.Fprintf(columns, "  %s\t%s\t%s\n", r.ours, r.library, r.change)
	}
	_ = columns.Flush()
}
