package explain

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

// WriteTable writes the answer for people. With trace it lists the flow schemas that
// were compared with the request.
func (a *Answer) WriteTable(to io.Writer, trace bool) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	row := func(label, format string, arguments ...any) {
		fmt.Fprintf(w, "%s\t%s\n", label, fmt.Sprintf(format, arguments...))
	}
	row("Request:", "%s", a.Request.text())
	row("User:", "%s", a.Request.User)
	row("Groups:", "%s", strings.Join(a.Request.Groups, ", "))
	row("Flow schema:", "%s", a.FlowSchema.text())
	if a.FlowSchema.Rule != "" {
		row("", "%s matches, for %s", a.FlowSchema.Rule, a.FlowSchema.Subject)
	}
	row("Priority level:", "%s", a.PriorityLevel.text())
	if l := a.PriorityLevel.Limits; a.PriorityLevel.Type != "Exempt" {
		row("Limits:", "nominal %d, lower %d, upper %d, current %d seats%s", l.Nominal, l.Lower, l.Upper, l.Current, inferredText(l))
	}
	row("Flow:", "%s", a.Flow.text(a.FlowSchema.Name))
	row("Seats:", "%s", a.Seats.text())
	row("", "%s", a.Seats.Why)
	row("", "Computed as in %s.", a.Seats.Estimator)
	row("Outcome:", "%s", a.Outcome.text())
	row("", "%s", a.Outcome.Why)
	for i, note := range a.Notes {
		label := ""
		if i == 0 {
			label = "Notes:"
		}
		row(label, "%s", note)
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	if len(a.Replicas) > 0 && a.PriorityLevel.Type != "Exempt" {
		if err := a.writeReplicas(to); err != nil {
			return err
		}
	}
	if trace {
		return a.writeTrace(to)
	}
	return nil
}

// writeReplicas writes the state of the priority level on each API server.
func (a *Answer) writeReplicas(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nAPI SERVER\tSEATS\tEXECUTING\tWAITING\tHAND: QUEUE(WAITING)\tOUTCOME\n")
	for i := range a.Replicas {
		r := &a.Replicas[i]
		fmt.Fprintf(w, "%s\t%d/%d\t%d\t%d\t%s\t%s\n", r.Name, r.SeatsInUse, r.Limits.Current, r.Executing, r.Waiting, handText(r.Hand), r.Outcome.text())
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the API servers: %w", err)
	}
	return nil
}

// writeTrace writes the flow schemas that were compared with the request.
func (a *Answer) writeTrace(to io.Writer) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\nPRECEDENCE\tFLOW SCHEMA\tPRIORITY LEVEL\tFIRST DIFFERENCE\n")
	for _, step := range a.Trace {
		if step.Matches {
			fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", step.MatchingPrecedence, step.FlowSchema, step.PriorityLevel, "none: it takes the request")
			continue
		}
		for i, reason := range step.Reasons {
			text := reason.Field + ": " + reason.Message
			if i == 0 {
				fmt.Fprintf(w, "%d\t%s\t%s\t%s\n", step.MatchingPrecedence, step.FlowSchema, step.PriorityLevel, text)
				continue
			}
			fmt.Fprintf(w, "\t\t\t%s\n", text)
		}
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the flow schemas: %w", err)
	}
	return nil
}

// Row is a request of a table of many, and its answer or the error.
type Row struct {
	Request string `json:"request"`
	// Answer is nil if Error is set.
	Answer *Answer `json:"answer,omitempty"`
	Error  string  `json:"error,omitempty"`
}

// WriteRows writes the answers of many requests as a table.
func WriteRows(to io.Writer, rows []Row) error {
	w := tabwriter.NewWriter(to, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "REQUEST\tUSER\tFLOW SCHEMA\tPRIORITY LEVEL\tFLOW\tSEATS\tOUTCOME\n")
	for _, row := range rows {
		if row.Answer == nil {
			fmt.Fprintf(w, "%s\t\t\t\t\t\terror: %s\n", row.Request, row.Error)
			continue
		}
		a := row.Answer
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", a.Request.text(), a.Request.User, a.FlowSchema.Name, a.PriorityLevel.Name,
			orDash(a.Flow.Distinguisher), a.Seats.short(), a.Outcome.text())
	}
	if err := w.Flush(); err != nil {
		return fmt.Errorf("writing the answers: %w", err)
	}
	return nil
}

// ExplainAll explains the requests of a file. A request that is not valid has an error
// in its row.
func (e *Explainer) ExplainAll(lines []Line) []Row {
	rows := make([]Row, len(lines))
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
