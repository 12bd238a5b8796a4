package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/insight/table"
)

// WriteTable writes the answer for people. With trace it lists the flow schemas that
// were compared with the request.
func (a *Answer) WriteTable(w io.Writer, options table.Options, trace bool) error {
	if err := a.fields().write(w, options); err != nil {
		return err
	}
	if len(a.Replicas) > 0 && !a.exempt() {
		if err := write(w, a.replicasTable(), options); err != nil {
			return err
		}
	}
	if !trace {
		return nil
	}
	return write(w, a.traceTable(), options)
}

func (a *Answer) exempt() bool { return a.PriorityLevel.Type == queueset.Exempt.String() }

// write writes an empty line and a table.
func write(w io.Writer, t table.Table, options table.Options) error {
	if _, err := fmt.Fprintln(w); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	if err := t.Write(w, options); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// fields returns what does not depend on the API server.
func (a *Answer) fields() fields {
	var f fields
	f.add("Request:", a.Request.text())
	f.add("User:", a.Request.User)
	f.add("Groups:", strings.Join(a.Request.Groups, ", "))
	f.add("Flow schema:", a.FlowSchema.text())
	if a.FlowSchema.Rule != "" {
		f.add("", fmt.Sprintf("%s matches, for %s", a.FlowSchema.Rule, a.FlowSchema.Subject))
	}
	f.add("Priority level:", a.PriorityLevel.text())
	if !a.exempt() {
		f.add("Limits:", a.PriorityLevel.Limits.text())
	}
	f.add("Flow:", a.Flow.text(a.FlowSchema.Name))
	f.add("Seats:", a.Seats.text())
	f.add("", a.Seats.Why)
	f.add("", fmt.Sprintf("Computed as in %s.", a.Seats.Estimator))
	f.add("Outcome:", a.Outcome.text())
	f.add("", a.Outcome.Why)
	label := "Notes:"
	for _, note := range a.Notes {
		f.add(label, note)
		label = ""
	}
	return f
}

// replicasTable is the state of the priority level on each API server.
func (a *Answer) replicasTable() table.Table {
	t := table.Table{Columns: []table.Column{
		{Name: "API SERVER"},
		{Name: "SEATS", Number: true},
		{Name: "LIMIT", Number: true},
		{Name: "EXECUTING", Number: true, Optional: 2},
		{Name: "WAITING", Number: true},
		{Name: "OUTCOME"},
		{Name: "HAND: QUEUE(WAITING)", Optional: 1},
	}}
	for i := range a.Replicas {
		r := &a.Replicas[i]
		t.Rows = append(t.Rows, []string{
			r.Name, strconv.Itoa(r.SeatsInUse), strconv.Itoa(r.Limits.Current), strconv.Itoa(r.Executing), strconv.Itoa(r.Waiting),
			r.Outcome.text(), handText(r.Hand),
		})
	}
	return t
}

// traceTable are the flow schemas that were compared with the request.
func (a *Answer) traceTable() table.Table {
	t := table.Table{Columns: []table.Column{
		{Name: "PRECEDENCE", Number: true, Optional: 2},
		{Name: "FLOW SCHEMA"},
		{Name: "PRIORITY LEVEL", Optional: 1},
		{Name: "FIRST DIFFERENCE"},
	}}
	for _, step := range a.Trace {
		row := []string{strconv.Itoa(int(step.MatchingPrecedence)), step.FlowSchema, step.PriorityLevel, "none: it takes the request"}
		for _, reason := range step.Reasons {
			row[3] = reason.Field + ": " + reason.Message
			t.Rows = append(t.Rows, row)
			row = make([]string, len(row))
		}
		if step.Matches {
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// Row is a request of a table of many, and its answer or the error.
type Row struct {
	Request string `json:"request"`
	// Answer is nil if Error is set.
	Answer *Answer `json:"answer,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// Rows are many requests.
type Rows []Row

// WriteTable writes the answers for people.
func (r Rows) WriteTable(w io.Writer, options table.Options) error {
	t := table.Table{Columns: []table.Column{
		{Name: "REQUEST"},
		{Name: "USER"},
		{Name: "FLOW SCHEMA"},
		{Name: "PRIORITY LEVEL", Optional: 1},
		{Name: "FLOW", Optional: 2},
		{Name: "SEATS", Number: true},
		{Name: "OUTCOME"},
	}}
	for _, row := range r {
		if row.Answer == nil {
			t.Rows = append(t.Rows, []string{row.Request, "", "", "", "", "", "error: " + row.Error})
			continue
		}
		a := row.Answer
		t.Rows = append(t.Rows, []string{
			a.Request.text(), a.Request.User, a.FlowSchema.Name, a.PriorityLevel.Name, orDash(a.Flow.Distinguisher), a.Seats.short(), a.Outcome.text(),
		})
	}
	if err := t.Write(w, options); err != nil {
		return fmt.Errorf("writing the answers: %w", err)
	}
	return nil
}

// ExplainAll explains the requests of a file. A request that is not valid has an error
// in its row.
func (e *Explainer) ExplainAll(lines []Line) Rows {
	rows := make(Rows, len(lines))
	for i, line := range lines {
		rows[i].Request = line.Text
		answer, err := e.Explain(line.Request)
		if err != nil {
			rows[i].Error = err.Error()
			continue
		}
		rows[i].Answer = &answer
	}
	return rows
}
