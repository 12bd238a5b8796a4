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

// WriteTable writes the report for people.
func (r *Report) WriteTable(w io.Writer, options table.Options) error {
	if r.Doubt != "" {
		table.WriteWords(w, r.Doubt, "", options)
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "TRACE %s (%s), %s simulated from %s on; %s\n\n", table.Escape(r.Trace.Name), r.Trace.Source,
		time.Duration(r.Results[0].Seconds*float64(time.Second)).Round(time.Second), r.Trace.Start.UTC().Format(time.RFC3339), &r.Trace.Recorded)
	if err := table.WriteSections(w, options,
		table.Section{Title: "CONFIGURATIONS", Table: r.resultTable()},
		table.Section{Title: "CLIENTS WITHOUT THEIR LIMITS", Table: r.limitTable()},
		table.Section{Title: "PRIORITY LEVELS, in seats of all replicas", Table: r.levelTable()},
		table.Section{Title: "FLOW SCHEMAS", Table: r.schemaTable()},
		table.Section{Title: "FLOWS", Table: r.flowTable()},
		table.Section{Title: "ASSERTIONS", Table: r.assertionTable()}); err != nil {
		return err
	}
	return table.WriteNotes(w, "\n", r.notes())
}

// limitTable has a row for each level of each client whose limit is dropped.
func (r *Report) limitTable() table.Table {
	t := table.New("CLIENT", "REQUESTS/S>", "WITHOUT>", "LEVEL", "LIMIT>?2", "SEATS>", "WITHOUT>", "OTHERS' P99>", "WITHOUT>", "OTHERS REJECTED>", "WITHOUT>", "WHO PAYS")
	for i := range r.Limits {
		e := &r.Limits[i]
		for l := range e.Levels {
			of := &e.Levels[l]
			t.Rows = append(t.Rows, []string{
				e.User, table.Tenths(&e.Before), table.Tenths(&e.After), of.Name, table.Tenths(&of.Limit), table.Tenths(&of.SeatsBefore), table.Tenths(&of.SeatsAfter),
				table.Seconds(of.OthersBefore.Wait.P99), table.Seconds(of.OthersAfter.Wait.P99), count(of.OthersBefore.Rejected), count(of.OthersAfter.Rejected), string(of.Payer()),
			})
		}
	}
	return t
}

// notes returns the notes of the trace and of each result, a note of all results once.
func (r *Report) notes() []string {
	notes := slices.Clone(r.Trace.Notes)
	for i := range r.Limits {
		e := &r.Limits[i]
		notes = append(notes, fmt.Sprintf("The log of %s has %s for its own limit, within %.0f s. It then sent %d requests, about %d at a time, of %s: this many at a time, without a pause, are the rate without the limit. A log has some of the waits, and the client may have fewer workers then.",
			e.User, table.Count(e.Waits, "wait"), e.Seconds, e.Requests, e.Workers, table.Seconds(e.LatencySeconds)))
	}
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
	columns := []string{"NAME", "ENGINE", "RELEASE?1", "LOOP", "REPLICAS>", "TOTAL>", "REQUESTS>", "WAITED>", "REJECTED>", "P50>", "P99>", "MAX>"}
	leftOut := slices.ContainsFunc(r.Results, func(one Result) bool { return one.LeftOut > 0 })
	if leftOut {
		columns = append(columns, "LEFT OUT>")
	}
	t := table.New(columns...)
	for i := range r.Results {
		one := &r.Results[i]
		release := one.Release
		if one.Engine == APF {
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
	t := table.New("LEVEL", "CONFIGURATION", "REQUESTS>", "REJECTED>", "NOMINAL>", "LIMIT>", "SEATS>", "MOST>", "BORROWED>", "LENT>", "P50>", "P90>", "P99>", "MAX>", "CHANGE")
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
	limit := []string{strconv.Itoa(l.Nominal), table.Tenths(&l.Limit.Mean)}
	if l.Type == "Exempt" {
		limit = []string{table.Dash, table.Dash}
	}
	return slices.Concat([]string{count(l.Requests), rejections(&l.Figures)}, limit,
		[]string{table.Tenths(&l.Seats.Mean), table.Tenths(&l.Seats.Max), table.Tenths(&l.Borrowed.Mean), table.Tenths(&l.Lent.Mean)}, l.Wait.cells())
}

func (w Wait) cells() []string {
	return []string{table.Seconds(w.P50), table.Seconds(w.P90), table.Seconds(w.P99), table.Seconds(w.Max)}
}

func (r *Report) schemaTable() table.Table {
	t := table.New("FLOW SCHEMA", "LEVEL", "CONFIGURATION", "REQUESTS>", "WAITED>", "REJECTED>", "P50>", "P90>", "P99>", "MAX>", "CHANGE")
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
	t := table.New("FLOW", "FLOW SCHEMA?1", "LEVEL", "CONFIGURATION", "SEAT-SECONDS>", "REQUESTS>", "WAITED>", "REJECTED>", "P50>", "P99>", "MAX>", "CHANGE")
	for i := range r.Results {
		for j := range r.Results[i].Flows {
			f := &r.Results[i].Flows[j]
			t.Rows = append(t.Rows, []string{
				table.OrDash(f.Distinguisher), f.Schema, f.Level, r.Results[i].Name, table.Tenths(&f.SeatSeconds), count(f.Requests), count(f.Waited), rejections(&f.Figures),
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
			mark := " worse"
			if d.Gains {
				mark = " better"
			}
			texts = append(texts, strings.TrimPrefix(d.Metric, "wait.")+mark)
		}
	}
	slices.Sort(texts)
	return strings.Join(texts, ", ")
}

func (r *Report) assertionTable() table.Table {
	t := table.New("ASSERTION", "CONFIGURATION", "HOLDS", "VALUE")
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
