// Package table writes tables for terminals.
//
// Texts are aligned left and numbers right, two spaces apart. Where a table is wider
// than the terminal, columns are left out in the order of their priority, and then the
// widest texts are shortened; a wide table has all columns and shortens nothing.
//
// Package text/tabwriter aligns all columns alike and does not report how wide a table
// becomes, so this package computes the widths of columns.
package table
