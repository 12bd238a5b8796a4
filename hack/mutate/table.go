package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// table is the report, in Markdown. Each row is written when its result is
// known.
type table struct {
	out   io.Writer
	rows  int
	found int
	rest  []string // details of the faults that were not found
}

func newTable(out io.Writer, o options) *table {
	fmt.Fprintf(out, "Seed %d.\n\n| # | place | fault | first test that fails | after |\n|---|---|---|---|---|\n", o.seed)
	return &table{out: out}
}

func (t *table) add(m *mutant, r result) {
	t.rows++
	by := "**" + r.Outcome + "**"
	switch r.Outcome {
	case outcomeFound:
		t.found++
		by = code(r.Test)
	case outcomeTimeRanOut:
		by += " in " + r.Test
	}
	for _, note := range r.Notes {
		by += "; " + cell(note)
	}
	if r.Outcome != outcomeFound {
		t.rest = append(t.rest, fmt.Sprintf("### %d: %s, %s\n\n```diff\n%s```\n", t.rows, m.place(), r.Outcome, m.diff(6)))
	}
	elapsed := time.Duration(r.Seconds * float64(time.Second)).Round(time.Second)
	fmt.Fprintf(t.out, "| %d | %s | %s: %s | %s | %s |\n", t.rows, code(m.place()), m.kind, code(m.short()), by, elapsed)
}

// end writes the total and the details of the faults that were not found.
func (t *table) end() {
	fmt.Fprintf(t.out, "\n%d of %d faults found.\n", t.found, t.rows)
	for _, text := range t.rest {
		fmt.Fprintf(t.out, "\n%s", text)
	}
}

// cell escapes text for a cell of a table.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// code formats text as code in a cell.
func code(text string) string {
	if strings.Contains(text, "`") {
		return "`` " + cell(text) + " ``"
	}
	return "`" + cell(text) + "`"
}
