package suite

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// Message returns what is wrong with the case; "" if it passed.
func (c *CaseResult) Message() string {
	switch {
	case c.Error != "":
		return fmt.Sprintf("case %q: invalid request: %s", c.Name, c.Error)
	case c.Passed:
		return ""
	default:
		return fmt.Sprintf("case %q: %s", c.Name, strings.Join(c.Failures, "; "))
	}
}

// WriteTable writes the result for people.
func (r *Result) WriteTable(w io.Writer, options table.Options) error {
	t := table.New("RESULT", "CASE", "FLOW SCHEMA", "LEVEL?1", "FLOW?2", "SEATS>?3")
	for i := range r.Cases {
		c := &r.Cases[i]
		row := []string{"pass", c.Name, table.Dash, table.Dash, table.Dash, table.Dash}
		if !c.Passed {
			row[0] = "FAIL"
		}
		if g := c.Got; g != nil {
			row = append(row[:2], g.FlowSchema, g.PriorityLevel, g.Flow, strconv.Itoa(g.Seats))
		}
		t.Rows = append(t.Rows, row)
	}
	if err := t.Write(w, options); err != nil {
		return err
	}
	fmt.Fprintln(w)
	for i := range r.Cases {
		if message := r.Cases[i].Message(); message != "" {
			fmt.Fprintln(w, table.Escape(message))
		}
	}
	fmt.Fprintf(w, "%d passed, %d failed\n", r.Passed, r.Failed)
	return table.WriteNotes(w, "", r.Notes)
}
