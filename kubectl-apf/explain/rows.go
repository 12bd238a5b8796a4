package explain

import (
	"fmt"
	"io"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Row is a request of a table of many, and its answer or the error.
type Row struct {
	Request string `json:"request"`
	// When says when a command sends the request, and how often; empty means always,
	// and once.
	When string `json:"when,omitempty"`
	// Answer is nil if Error is set.
	Answer *Answer `json:"answer,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Rows are many requests.
type Rows []Row

// ExplainAll explains many requests. A request that is not valid has an error in its row.
func (e *Explainer) ExplainAll(lines []Line) Rows {
	rows := make(Rows, len(lines))
	for i, line := range lines {
		rows[i].Request, rows[i].When = line.Text, line.When
		answer, err := e.Explain(line.Request)
		if err != nil {
			rows[i].Error = err.Error()
			continue
		}
		rows[i].Answer = &answer
	}
	return rows
}

// WriteTable writes the answers for people.
func (r Rows) WriteTable(w io.Writer, options table.Options) error {
	t := table.Table{Columns: []table.Column{
		{Name: "REQUEST"},
		{Name: "USER", Optional: 3},
		{Name: "FLOW SCHEMA"},
		{Name: "PRIORITY LEVEL", Optional: 1},
		{Name: "FLOW", Optional: 2},
		{Name: "SEATS", Number: true},
		{Name: "OUTCOME"},
	}}
	conditional := slices.ContainsFunc(r, func(row Row) bool { return row.When != "" })
	if conditional {
		t.Columns = append(t.Columns, table.Column{Name: "WHEN"})
	}
	for _, row := range r {
		cells := row.cells()
		if conditional {
			cells = append(cells, orDash(row.When))
		}
		t.Rows = append(t.Rows, cells)
	}
	if err := t.Write(w, options); err != nil {
		return fmt.Errorf("writing the answers: %w", err)
	}
	return table.WriteNotes(w, "", r.notes())
}

// notes returns the notes of all answers, each once, but for what the table has.
func (r Rows) notes() []string {
	var notes []string
	for _, row := range r {
		if row.Answer == nil {
			continue
		}
		for _, note := range row.Answer.Notes {
			if note != row.Answer.Seats.unknownText() && !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}

// cells returns a row of the table without the condition.
func (r Row) cells() []string {
	if r.Answer == nil {
		return []string{r.Request, "", "", "", "", "", "error: " + r.Error}
	}
	a := r.Answer
	return []string{
		a.Request.text(), a.Request.User, a.FlowSchema.Name, a.PriorityLevel.Name, orDash(a.Flow.Distinguisher), a.Seats.short(), a.Outcome.text(),
	}
}

// CommandAnswer is what flow control does with the requests of a command. Its JSON form is
// stable.
type CommandAnswer struct {
	Command  string `json:"command"`
	Requests Rows   `json:"requests"`
	// Notes are sentences about what was assumed.
	Notes []string `json:"notes"`
}

// WriteTable writes the answer for people.
func (a CommandAnswer) WriteTable(w io.Writer, options table.Options) error {
	if len(a.Requests) == 0 {
		if _, err := fmt.Fprintf(w, "%s sends no requests.\n", table.Escape(a.Command)); err != nil {
			return fmt.Errorf("writing the answer: %w", err)
		}
	} else if err := a.Requests.WriteTable(w, options); err != nil {
		return err
	}
	return table.WriteNotes(w, "", a.Notes)
}
