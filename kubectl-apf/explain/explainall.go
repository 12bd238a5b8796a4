package explain

import (
	"io"
	"slices"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Row is a request of a table of many, and its answer or the error.
type Row struct {
	Request string `json:"request"`
	// Answer is nil if Error is set.
	Answer *Answer `json:"answer,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Rows are many requests.
type Rows []Row

// ExplainAll explains the requests of a line. A request that is not valid has an error in its row.
func (e *Explainer) ExplainAll(line string, requests []Request) Rows {
	rows := make(Rows, len(requests))
	for i, request := range requests {
		rows[i].Request = line
		answer, err := e.Explain(request)
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
	t := table.New("REQUEST", "USER?3", "FLOW SCHEMA", "PRIORITY LEVEL?1", "FLOW?2", "SEATS>", "OUTCOME")
	for _, row := range r {
		t.Rows = append(t.Rows, row.cells())
	}
	if err := t.Write(w, options); err != nil {
		return err
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

// cells returns a row of the table.
func (r Row) cells() []string {
	if r.Answer == nil {
		return []string{r.Request, "", "", "", "", "", "error: " + r.Error}
	}
	a := r.Answer
	return []string{
		a.Request.text(), a.Request.User, a.FlowSchema.Name, a.PriorityLevel.Name, table.OrDash(a.Flow.Distinguisher), a.Seats.short(), a.Outcome.text(),
	}
}
