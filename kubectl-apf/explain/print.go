package explain

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/apf/queueset"
)

// WriteTable writes the answer for people. With trace it lists the flow schemas that
// were compared with the request.
func (a *Answer) WriteTable(w io.Writer, options table.Options, trace bool) error {
	if err := a.fields(options.Wide).write(w, options); err != nil {
		return err
	}
	var tables []table.Table
	if len(a.Replicas) > 0 && !a.exempt() {
		tables = append(tables, a.replicasTable())
	}
	if trace {
		tables = append(tables, a.traceTable())
	}
	for _, t := range tables {
		fmt.Fprintln(w)
		if err := t.Write(w, options); err != nil {
			return err
		}
	}
	return nil
}

func (a *Answer) exempt() bool { return a.PriorityLevel.Type == queueset.Exempt.String() }

// fields returns what does not depend on the API server. The first three lines are the answer.
func (a *Answer) fields(wide bool) fields {
	var f fields
	f.add("Request:", fmt.Sprintf("%s, as %s", a.Request.text(), a.Request.User))
	f.add("Priority level:", fmt.Sprintf("%s, by flow schema %s", a.PriorityLevel.Name, a.FlowSchema.Name))
	f.add("Outcome:", fmt.Sprintf("%s. %s", a.Outcome.text(), a.Outcome.Why))
	f.add("", "")
	f.add("Groups:", strings.Join(a.Request.Groups, ", "))
	f.add("Flow schema:", a.FlowSchema.text(wide))
	if a.FlowSchema.Rule != "" {
		f.add("", fmt.Sprintf("%s matches, for %s", a.FlowSchema.Rule, a.FlowSchema.Subject))
	}
	f.add("Level:", a.PriorityLevel.text(wide))
	if !a.exempt() {
		f.add("Limits:", a.PriorityLevel.Limits.text())
	}
	f.add("Flow:", a.Flow.text(a.FlowSchema.Name))
	if a.Flow.Tenant != "" {
		f.add("Tenant:", a.tenantText())
	}
	f.add("Seats:", a.Seats.text())
	f.add("", a.Seats.Why)
	f.add("", fmt.Sprintf("Computed as in %s.", a.Seats.Estimator))
	label := "Notes:"
	for _, note := range a.Notes {
		f.add(label, note)
		label = ""
	}
	return f
}

// replicasTable is the state of the priority level on each API server.
func (a *Answer) replicasTable() table.Table {
	hand := "HAND: QUEUE(WAITING)"
	if a.PriorityLevel.byFlow {
		hand = "QUEUE(WAITING)"
	}
	t := table.New("API SERVER", "SEATS>", "LIMIT>", "EXECUTING>?2", "WAITING>", "OUTCOME", hand+"?1")
	for i := range a.Replicas {
		r := &a.Replicas[i]
		t.Rows = append(t.Rows, []string{
			r.Name, table.Known(r.SeatsInUse), r.Limits.currentText(), table.Known(r.Executing), table.Known(r.Waiting),
			r.Outcome.text(), handText(r.Hand),
		})
	}
	return t
}

// traceTable are the flow schemas that were compared with the request.
func (a *Answer) traceTable() table.Table {
	t := table.New("PRECEDENCE>?2", "FLOW SCHEMA", "PRIORITY LEVEL?1", "FIRST DIFFERENCE")
	for _, step := range a.Trace {
		row := []string{strconv.Itoa(int(step.MatchingPrecedence)), step.FlowSchema, step.PriorityLevel, "none: it matches the request"}
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
