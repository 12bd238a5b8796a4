package diff

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// maxRows is the number of rows of each table, unless it is wide or of levels.
const maxRows = 25

// WriteTable writes the result for people.
func (r *Result) WriteTable(w io.Writer, options table.Options) error {
	sections := []table.Section{
		{Title: "OBJECTS", Table: r.objectTable(), Empty: "No object changes.", Most: maxRows},
		{Title: r.moveTitle(), Table: r.moveTable(options.Wide), Empty: "No request moves.", Most: maxRows},
		{Title: "FLOW SCHEMAS", Table: r.schemaTable(), Empty: "No flow schema stops or starts to match.", Most: maxRows},
		{Title: "PRIORITY LEVELS, in seats of one replica", Table: r.levelTable()},
	}
	for i, s := range sections {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := s.Write(w, options); err != nil {
			return err
		}
	}
	return table.WriteNotes(w, "\n", r.Notes)
}

func (r *Result) objectTable() table.Table {
	t := table.Table{Columns: []table.Column{{Name: "KIND", Optional: 1}, {Name: "NAME"}, {Name: "CHANGE"}, {Name: "FIELDS"}}}
	for _, o := range r.Objects {
		fields := make([]string, len(o.Fields))
		for i, f := range o.Fields {
			fields[i] = f.String()
		}
		t.Rows = append(t.Rows, []string{o.Kind, o.Name, string(o.Change), strings.Join(fields, "; ")})
	}
	return t
}

// String returns the field with its values, if these are not lists.
func (f Field) String() string {
	path := strings.TrimPrefix(f.Path, "spec.")
	_, before := f.Before.([]any)
	_, after := f.After.([]any)
	if before || after {
		return path
	}
	return path + ": " + textOf(f.Before) + " -> " + textOf(f.After)
}

func textOf(value any) string {
	if value == nil {
		return "unset"
	}
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return strings.Trim(string(text), `"`)
}

func (r *Result) moveTitle() string {
	what := "requests of the log"
	if r.Basis == Combinations {
		what = "combinations that the rules tell apart"
	}
	return fmt.Sprintf("MOVES: %d of %d %s", r.Moved, r.Checked, what)
}

func (r *Result) moveTable(wide bool) table.Table {
	t := table.Table{Columns: []table.Column{
		{Name: "COUNT", Number: true},
		{Name: "FROM"},
		{Name: "TO"},
		{Name: "USERS"},
		{Name: "VERBS"},
		{Name: "RESOURCES"},
		{Name: "NAMESPACES", Optional: 1},
	}}
	count := 3
	if wide {
		count = maxTop
	}
	for i := range r.Moves {
		m := &r.Moves[i]
		t.Rows = append(t.Rows, []string{
			strconv.Itoa(m.Count), m.From.String(), m.To.String(),
			m.Users.text(count), m.Verbs.text(count), m.Resources.text(count), m.Namespaces.text(count),
		})
	}
	return t
}

// String returns the names of the schema and, if it has another name, of the level.
func (p Place) String() string {
	if p.FlowSchema == p.PriorityLevel {
		return p.FlowSchema
	}
	return p.FlowSchema + " (" + p.PriorityLevel + ")"
}

// text names up to count values.
func (t Top) text(count int) string {
	shown := min(count, len(t.Values))
	names := make([]string, shown)
	for i := range names {
		names[i] = t.Values[i].Name
	}
	text := strings.Join(names, ",")
	if more := len(t.Values) - shown + t.More; more > 0 {
		text += fmt.Sprintf(" +%d", more)
	}
	return text
}

func (r *Result) schemaTable() table.Table {
	t := table.Table{Columns: table.Texts("NAME", "CHANGE", "BECAUSE")}
	for _, s := range r.FlowSchemas {
		t.Rows = append(t.Rows, []string{s.Name, string(s.Matching), s.Because})
	}
	return t
}

func (r *Result) levelTable() table.Table {
	t := table.Table{Columns: []table.Column{
		{Name: "NAME"},
		{Name: "NOMINAL", Number: true},
		{Name: "LOWER", Number: true, Optional: 2},
		{Name: "UPPER", Number: true, Optional: 2},
		{Name: "LENDS", Number: true, Optional: 1},
		{Name: "BORROWS", Number: true, Optional: 1},
		{Name: ""},
	}}
	for _, l := range r.Levels {
		t.Rows = append(t.Rows, []string{
			l.Name,
			l.figure(func(s *Limits) int { return s.Nominal }),
			l.figure(func(s *Limits) int { return s.Lower }),
			l.figure(func(s *Limits) int { return s.Upper }),
			l.figure(func(s *Limits) int { return s.Lendable }),
			l.figure(func(s *Limits) int { return s.Borrowable }),
			l.remark(),
		})
	}
	return t
}

// figure returns a figure before and after, or once if it stays.
func (l *Level) figure(of func(*Limits) int) string {
	text := func(s *Limits) string {
		if s == nil {
			return table.Dash
		}
		return strconv.Itoa(of(s))
	}
	before, after := text(l.Before), text(l.After)
	if before == after {
		return before
	}
	return before + " -> " + after
}

func (l *Level) remark() string {
	switch {
	case l.After == nil:
		return "removed"
	case l.Before == nil:
		return "added"
	case l.LosesMoreThanHalf:
		return "loses more than half"
	default:
		return ""
	}
}
