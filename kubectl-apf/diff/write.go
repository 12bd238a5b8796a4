package diff

import (
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
	if err := table.WriteSections(w, options,
		table.Section{Title: "OBJECTS", Table: r.objectTable(), Empty: "No object changes.", Most: maxRows},
		table.Section{Title: r.moveTitle(), Table: r.moveTable(options.Wide), Empty: "No request moves.", Most: maxRows},
		table.Section{Title: "FLOW SCHEMAS", Table: r.schemaTable(), Empty: "No flow schema stops or starts to match.", Most: maxRows},
		table.Section{Title: "PRIORITY LEVELS, in seats of one replica", Table: r.levelTable()}); err != nil {
		return err
	}
	return table.WriteNotes(w, "\n", r.Notes)
}

func (r *Result) objectTable() table.Table {
	t := table.New("KIND?1", "NAME", "CHANGE")
	for _, o := range r.Objects {
		t.Rows = append(t.Rows, []string{o.Kind, o.Name, string(o.Change)})
	}
	return t
}

func (r *Result) moveTitle() string {
	what := "requests of the log"
	if r.Basis == Combinations {
		what = "combinations that the rules distinguish"
	}
	return fmt.Sprintf("MOVES: %d of %d %s", r.Moved, r.Checked, what)
}

func (r *Result) moveTable(wide bool) table.Table {
	t := table.New("COUNT>", "FROM", "TO", "USERS", "VERBS", "RESOURCES", "NAMESPACES?1")
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
	t := table.New("NAME", "CHANGE", "BECAUSE")
	for _, s := range r.FlowSchemas {
		t.Rows = append(t.Rows, []string{s.Name, string(s.Matching), s.Because})
	}
	return t
}

func (r *Result) levelTable() table.Table {
	t := table.New("NAME", "NOMINAL>", "LOWER>?2", "UPPER>?2", "LENDS>?1", "BORROWS>?1", "")
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
