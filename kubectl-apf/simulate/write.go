package simulate

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// textWidth is the width of sentences where no terminal says another.
const textWidth = 100

// maxDifferences is the number of differences in a table that is not wide.
const maxDifferences = 25

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer, options table.Options) error {
	if r.Doubt != "" {
		table.WriteWords(w, r.Doubt, "", cmp.Or(options.Width, textWidth))
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "TRACE %s (%s), %s simulated from %s on; %s\n", table.Escape(r.Trace.Name), r.Trace.Source,
		time.Duration(r.Results[0].Seconds*float64(time.Second)).Round(time.Second), r.Trace.Start.UTC().Format(time.RFC3339), &r.Trace.Recorded)
	sections := []table.Section{
		{Title: "CONFIGURATIONS", Table: r.resultTable()},
		{Title: "PRIORITY LEVELS, in seats of all replicas", Table: r.levelTable()},
		{Title: "FLOW SCHEMAS", Table: r.schemaTable()},
		{Title: "FLOWS", Table: r.flowTable()},
	}
	if len(r.Results) > 1 {
		sections = append(sections, table.Section{Title: "DIFFERENCES from " + table.Escape(r.Results[0].Name), Table: r.differenceTable(), Most: maxDifferences})
	}
	if len(r.Assertions) > 0 {
		sections = append(sections, table.Section{Title: "ASSERTIONS", Table: r.assertionTable()})
	}
	for _, s := range sections {
		fmt.Fprintln(w)
		s.Empty = "none"
		if err := s.Write(w, options); err != nil {
			return err
		}
	}
	return table.WriteNotes(w, "\n", r.notes())
}

// notes returns the notes of the trace and of each result, a note of all results once.
func (r *Report) notes() []string {
	notes := slices.Clone(r.Trace.Notes)
	for i := range r.Results {
		for _, note := range r.Results[i].Notes {
			everywhere := !slices.ContainsFunc(r.Results, func(other Result) bool { return !slices.Contains(other.Notes, note) })
			if !everywhere {
				note = r.Results[i].Name + ": " + note
			}
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

func (r *Report) resultTable() table.Table {
	t := table.Table{Columns: slices.Concat(
		[]table.Column{{Name: "NAME"}, {Name: "ENGINE"}, {Name: "RELEASE", Optional: 1}, {Name: "LOOP"}},
		table.Numbers("REPLICAS", "TOTAL", "REQUESTS", "WAITED", "REJECTED", "P50", "P99", "MAX"))}
	leftOut := slices.ContainsFunc(r.Results, func(one Result) bool { return one.LeftOut > 0 })
	if leftOut {
		t.Columns = append(t.Columns, table.Numbers("LEFT OUT")...)
	}
	for i := range r.Results {
		one := &r.Results[i]
		release := one.Release
		if one.Engine == Ours {
			release = ""
		}
		t.Rows = append(t.Rows, []string{
			one.Name, string(one.Engine), release, string(one.Loop), strconv.Itoa(one.Replicas), strconv.Itoa(one.Total),
			count(one.Requests), count(one.Waited), count(one.Rejected), table.Seconds(one.Wait.P50), table.Seconds(one.Wait.P99), table.Seconds(one.Wait.Max),
		})
		if leftOut {
			t.Rows[i] = append(t.Rows[i], count(uint64(one.LeftOut)))
		}
	}
	return t
}

func (r *Report) levelTable() table.Table {
	t := table.Table{Columns: slices.Concat(table.Texts("LEVEL", "CONFIGURATION"),
		table.Numbers("REQUESTS", "REJECTED", "NOMINAL", "LIMIT", "SEATS", "MOST", "BORROWED", "LENT", "P50", "P90", "P99", "MAX"), table.Texts("CHANGE"))}
	for i := range r.Results {
		for j := range r.Results[i].Levels {
			l := &r.Results[i].Levels[j]
			t.Rows = append(t.Rows, slices.Concat([]string{l.Name, r.Results[i].Name}, l.cells(), []string{r.change(&r.Results[i], OfLevel, l.Name)}))
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return t
}

func (l *Level) cells() []string {
	limit := []string{strconv.Itoa(l.Nominal), table.Tenths(l.Limit.Mean)}
	if l.Type == "Exempt" {
		limit = []string{table.Dash, table.Dash}
	}
	return slices.Concat([]string{count(l.Requests), rejections(&l.Figures)}, limit,
		[]string{table.Tenths(l.Seats.Mean), table.Tenths(l.Seats.Max), table.Tenths(l.Borrowed.Mean), table.Tenths(l.Lent.Mean)}, l.Wait.cells())
}

func (w Wait) cells() []string {
	return []string{table.Seconds(w.P50), table.Seconds(w.P90), table.Seconds(w.P99), table.Seconds(w.Max)}
}

func (r *Report) schemaTable() table.Table {
	t := table.Table{Columns: slices.Concat(table.Texts("FLOW SCHEMA", "LEVEL", "CONFIGURATION"),
		table.Numbers("REQUESTS", "WAITED", "REJECTED", "P50", "P90", "P99", "MAX"), table.Texts("CHANGE"))}
	for i := range r.Results {
		for j := range r.Results[i].FlowSchemas {
			s := &r.Results[i].FlowSchemas[j]
			t.Rows = append(t.Rows, slices.Concat([]string{s.Name, s.Level, r.Results[i].Name, count(s.Requests), count(s.Waited), rejections(&s.Figures)},
				s.Wait.cells(), []string{r.change(&r.Results[i], OfSchema, s.Name)}))
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return strings.Compare(a[0], b[0]) })
	return t
}

func (r *Report) flowTable() table.Table {
	t := table.Table{Columns: slices.Concat(
		[]table.Column{{Name: "FLOW"}, {Name: "FLOW SCHEMA", Optional: 1}, {Name: "LEVEL"}, {Name: "CONFIGURATION"}},
		table.Numbers("SEAT-SECONDS", "REQUESTS", "WAITED", "REJECTED", "P50", "P99", "MAX"), table.Texts("CHANGE"))}
	for i := range r.Results {
		for j := range r.Results[i].Flows {
			f := &r.Results[i].Flows[j]
			t.Rows = append(t.Rows, []string{
				table.OrDash(f.Distinguisher), f.Schema, f.Level, r.Results[i].Name, table.Tenths(f.SeatSeconds), count(f.Requests), count(f.Waited), rejections(&f.Figures),
				table.Seconds(f.Wait.P50), table.Seconds(f.Wait.P99), table.Seconds(f.Wait.Max), r.change(&r.Results[i], OfFlow, f.Distinguisher),
			})
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return cmp.Or(cmp.Compare(a[2], b[2]), cmp.Compare(a[0], b[0])) })
	return t
}

// change says what differs from the baseline.
func (r *Report) change(of *Result, kind DifferenceKind, name string) string {
	var texts []string
	for i := range r.Differences {
		if d := &r.Differences[i]; d.Configuration == of.Name && of != &r.Results[0] && d.Kind == kind && d.Name == name {
			texts = append(texts, strings.TrimPrefix(d.Metric, "wait.")+" "+d.mark())
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

func (d *Difference) mark() string {
	if d.Gains {
		return "better"
	}
	return "worse"
}

func (r *Report) differenceTable() table.Table {
	t := table.Table{Columns: slices.Concat(table.Texts("CONFIGURATION", "OF", "NAME", "METRIC"),
		table.Numbers("BEFORE", "AFTER"), []table.Column{{Name: "CHANGE"}, {Name: "FLOW SCHEMA", Optional: 1}})}
	for i := range r.Differences {
		d := &r.Differences[i]
		text, moved := table.Seconds, ""
		if d.Metric == "rejected" {
			text = func(part float64) string { return table.Tenths(100*part) + "%" }
		}
		if d.From != "" {
			moved = d.From + " -> " + d.To
		}
		t.Rows = append(t.Rows, []string{d.Configuration, string(d.Kind), d.Name, d.Metric, text(d.Before), text(d.After), d.mark(), moved})
	}
	return t
}

func (r *Report) assertionTable() table.Table {
	t := table.Table{Columns: table.Texts("ASSERTION", "CONFIGURATION", "HOLDS", "VALUE")}
	for _, v := range r.Assertions {
		holds := "no"
		if v.Holds {
			holds = "yes"
		}
		t.Rows = append(t.Rows, []string{v.Assertion, v.Configuration, holds, v.Text()})
	}
	return t
}

// Text returns the value, or why there is none.
func (v Verdict) Text() string {
	if v.Value == nil {
		return v.Why
	}
	if metric, _, _ := strings.Cut(v.Assertion, " "); strings.Contains("."+metric, ".wait.") {
		return table.Seconds(*v.Value)
	}
	return strconv.FormatFloat(*v.Value, 'g', 6, 64)
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

// rejections returns the number of rejected requests and their reasons.
func rejections(f *Figures) string {
	if f.Rejected == 0 {
		return "0"
	}
	var parts []string
	for _, reason := range slices.Sorted(maps.Keys(f.RejectedBy)) {
		parts = append(parts, count(f.RejectedBy[reason])+" "+reason)
	}
	return strings.Join(parts, ", ")
}
