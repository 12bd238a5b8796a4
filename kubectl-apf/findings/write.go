package findings

import (
	"fmt"
	"io"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// textWidth is the width of sentences where no terminal says another.
const textWidth = 100

// WriteTable writes the findings for people: each with its sentences below, or with
// Wide on one line.
func (r *Result) WriteTable(w io.Writer, options table.Options) error {
	if options.Wide {
		if err := r.table().Write(w, options); err != nil {
			return err
		}
	} else {
		width := options.Width
		if width == 0 {
			width = textWidth
		}
		for i := range r.Findings {
			writeFinding(w, &r.Findings[i], width)
		}
	}
	fmt.Fprintf(w, "%d objects checked: %d errors, %d warnings, %d infos\n", r.Checked, r.Errors, r.Warnings, r.Infos)
	return table.WriteNotes(w, "", r.Notes)
}

func writeFinding(w io.Writer, f *lint.Finding, width int) {
	head := fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Object)
	if f.Field != "" {
		head += " " + f.Field
	}
	fmt.Fprintln(w, table.Escape(head))
	table.WriteWords(w, table.Escape(f.Message+" "+f.Remedy), "  ", width)
	fmt.Fprintf(w, "  %s\n\n", f.Link)
}

func (r *Result) table() table.Table {
	t := table.Table{Columns: []table.Column{
		{Name: "SEVERITY"}, {Name: "CODE"}, {Name: "OBJECT"}, {Name: "FIELD"}, {Name: "FINDING"}, {Name: "REMEDY"}, {Name: "EXPLAINED IN"},
	}}
	for i := range r.Findings {
		f := &r.Findings[i]
		t.Rows = append(t.Rows, []string{string(f.Severity), string(f.Code), f.Object.String(), f.Field, f.Message, f.Remedy, f.Link})
	}
	return t
}
