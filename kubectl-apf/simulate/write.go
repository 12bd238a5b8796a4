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

// maxDifferences is the number of differences in a table that is not wide.
const maxDifferences = 25

// section is a table with a title.
type section struct {
	title string
	table table.Table
	most  int // rows unless wide; 0 for all
}

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer, options table.Options) error {
	fmt.Fprintf(w, "TRACE %s (%s), %s simulated from %s on\n", table.Escape(r.Trace.Name), r.Trace.Source,
		time.Duration(r.Results[0].Seconds*float64(time.Second)).Round(time.Second), r.Trace.Start.UTC().Format(time.RFC3339))
	sections := []section{
		{title: "CONFIGURATIONS", table: r.resultTable()},
		{title: "PRIORITY LEVELS, in seats of all replicas", table: r.levelTable()},
		{title: "FLOW SCHEMAS", table: r.schemaTable()},
		{title: "FLOWS", table: r.flowTable()},
	}
	if len(r.Results) > 1 {
		sections = append(sections, section{"DIFFERENCES from " + table.Escape(r.Results[0].Name), r.differenceTable(), maxDifferences})
	}
	if len(r.Assertions) > 0 {
		sections = append(sections, section{title: "ASSERTIONS", table: r.assertionTable()})
	}
	for _, s := range sections {
		if err := s.write(w, options); err != nil {
			return err
		}
	}
	return table.WriteNotes(w, "\n", r.notes())
}

func (s *section) write(w io.Writer, options table.Options) error {
	fmt.Fprintln(w, "\n"+s.title)
	more := len(s.table.Rows) - s.most
	if options.Wide || s.most == 0 || more <= 0 {
		more = 0
	} else {
		s.table.Rows = s.table.Rows[:s.most]
	}
	if len(s.table.Rows) == 0 {
		fmt.Fprintln(w, "none")
		return nil
	}
	if err := s.table.Write(w, options); err != nil {
		return err
	}
	if more > 0 {
		fmt.Fprintf(w, "%d more; wide output shows them.\n", more)
	}
	return nil
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

func numbers(names ...string) []table.Column {
	columns := make([]table.Column, len(names))
	for i, name := range names {
		columns[i] = table.Column{Name: name, Number: true}
	}
	return columns
}

func (r *Report) resultTable() table.Table {
	t := table.Table{Columns: slices.Concat(
		[]table.Column{{Name: "NAME"}, {Name: "ENGINE"}, {Name: "RELEASE", Optional: 1}, {Name: "LOOP"}, {Name: "CAPACITY", Optional: 2}},
		numbers("REPLICAS", "TOTAL", "REQUESTS", "WAITED", "REJECTED", "P50", "P99", "MAX"))}
	leftOut := slices.ContainsFunc(r.Results, func(one Result) bool { return one.LeftOut > 0 })
	if leftOut {
		t.Columns = append(t.Columns, numbers("LEFT OUT")...)
	}
	for i := range r.Results {
		one := &r.Results[i]
		release := one.Release
		if one.Engine == Ours {
			release = ""
		}
		t.Rows = append(t.Rows, []string{
			one.Name, string(one.Engine), release, string(one.Loop), one.Capacity, strconv.Itoa(one.Replicas), strconv.Itoa(one.Total),
			count(one.Requests), count(one.Waited), count(one.Rejected), seconds(one.Wait.P50), seconds(one.Wait.P99), seconds(one.Wait.Max),
		})
		if leftOut {
			t.Rows[i] = append(t.Rows[i], count(uint64(one.LeftOut)))
		}
	}
	return t
}

func (r *Report) levelTable() table.Table {
	t := table.Table{Columns: slices.Concat(
		[]table.Column{{Name: "LEVEL"}, {Name: "CONFIGURATION"}},
		numbers("REQUESTS", "REJECTED", "NOMINAL", "LIMIT", "SEATS", "MOST", "BORROWED", "LENT", "P50", "P90", "P99", "MAX", "JAIN"),
		[]table.Column{{Name: "CHANGE"}})}
	for _, name := range r.levelNames() {
		for i := range r.Results {
			for j := range r.Results[i].Levels {
				if l := &r.Results[i].Levels[j]; l.Name == name {
					t.Rows = append(t.Rows, slices.Concat([]string{name, r.Results[i].Name}, l.cells(), []string{r.change(&r.Results[i], OfLevel, name)}))
				}
			}
		}
	}
	return t
}

// levelNames returns the names of the levels of all results, sorted.
func (r *Report) levelNames() []string {
	names := map[string]bool{}
	for i := range r.Results {
		for j := range r.Results[i].Levels {
			names[r.Results[i].Levels[j].Name] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func (l *Level) cells() []string {
	index := "-"
	if l.Jain != nil {
		index = fmt.Sprintf("%.2f", *l.Jain)
	}
	limit := []string{strconv.Itoa(l.Nominal), inSeats(l.Limit.Mean)}
	if l.Type == "Exempt" {
		limit = []string{"-", "-"}
	}
	return slices.Concat([]string{count(l.Requests), rejections(&l.Figures)}, limit,
		[]string{inSeats(l.Seats.Mean), inSeats(l.Seats.Max), inSeats(l.Borrowed.Mean), inSeats(l.Lent.Mean)}, l.Wait.cells(), []string{index})
}

func (w Wait) cells() []string {
	return []string{seconds(w.P50), seconds(w.P90), seconds(w.P99), seconds(w.Max)}
}

func (r *Report) schemaTable() table.Table {
	t := table.Table{Columns: slices.Concat(
		[]table.Column{{Name: "FLOW SCHEMA"}, {Name: "LEVEL"}, {Name: "CONFIGURATION"}},
		numbers("REQUESTS", "WAITED", "REJECTED", "P50", "P90", "P99", "MAX"), []table.Column{{Name: "CHANGE"}})}
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
		numbers("SEAT-SECONDS", "REQUESTS", "WAITED", "REJECTED", "P50", "P99", "MAX"), []table.Column{{Name: "CHANGE"}})}
	for i := range r.Results {
		for j := range r.Results[i].Flows {
			f := &r.Results[i].Flows[j]
			name := f.Distinguisher
			if name == "" {
				name = "-"
			}
			t.Rows = append(t.Rows, []string{
				name, f.Schema, f.Level, r.Results[i].Name, inSeats(f.SeatSeconds), count(f.Requests), count(f.Waited), rejections(&f.Figures),
				seconds(f.Wait.P50), seconds(f.Wait.P99), seconds(f.Wait.Max), r.change(&r.Results[i], OfFlow, f.Distinguisher),
			})
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b []string) int { return cmp.Or(cmp.Compare(a[2], b[2]), cmp.Compare(a[0], b[0])) })
	return t
}

func (r *Report) assertionTable() table.Table { return VerdictTable(r.Assertions) }

// VerdictTable returns the results of assertions for people.
func VerdictTable(verdicts []Verdict) table.Table {
	t := table.Table{Columns: []table.Column{{Name: "ASSERTION"}, {Name: "CONFIGURATION"}, {Name: "HOLDS"}, {Name: "VALUE"}}}
	for _, v := range verdicts {
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
		return seconds(*v.Value)
	}
	return strconv.FormatFloat(*v.Value, 'g', 6, 64)
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

func inSeats(n float64) string { return strconv.FormatFloat(n, 'f', 1, 64) }

// seconds returns a number of seconds with three digits.
func seconds(s float64) string {
	d := time.Duration(s * float64(time.Second))
	switch {
	case d == 0:
		return "0"
	case d < time.Millisecond:
		return strconv.FormatFloat(s*1e6, 'f', 0, 64) + "µs"
	case d < time.Second:
		return strconv.FormatFloat(s*1e3, 'g', 3, 64) + "ms"
	default:
		return strconv.FormatFloat(s, 'g', 3, 64) + "s"
	}
}

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
