package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// printDifferences prints in each line what is new, gone or changed
// in descriptions by name.
func printDifferences(out io.Writer, before, after map[string]string) {
	if maps.Equal(before, after) {
		fmt.Fprintln(out, "  none")
	}
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		was, had := before[name]
		is, has := after[name]
		switch {
		case !had:
			fmt.Fprintf(out, "  new      %s  %s\n", name, is)
		case !has:
			fmt.Fprintf(out, "  gone     %s  %s\n", name, was)
		case was != is:
			fmt.Fprintf(out, "  changed  %s  %s -> %s\n", name, was, is)
		}
	}
}
