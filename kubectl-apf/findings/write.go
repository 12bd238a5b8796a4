package findings

import (
	"fmt"
	"io"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/pkg/lint"
)

// WriteTable writes the findings for people: each with its sentences below, or with
// Wide on one line.
func (r *Result) WriteTable(w io.Writer, options table.Options) error {
	if options.Wide {
		if err := r.table().Write(w, options); err != nil {
			return err
		}
	} else {
		for i := range r.Findings {
			writeFinding(w, &r.Findings[i], options)
		}
	}
	fmt.Fprintf(w, "%d objects checked: %d errors, %d warnings, %d infos\n", r.Checked, r.Errors, r.Warnings, r.Infos)
	return table.WriteNotes(w, "", r.Notes)
}

func writeFinding(w io.Writer, f *lint.Finding, options table.Options) {
	head := fmt.Sprintf("%s %s %s", f.Severity, f.Code, f.Object)
	if f.Field != "" {
		head += " " + f.Field
	}
	fmt.Fprintln(w, table.Escape(head))
	table.WriteWords(w, f.Message+" "+f.Remedy, "  ", options)
	fmt.Fprintf(w, "  %s\n\n", f.Link)
}

func (r *Result) table() table.Table {
	t := table.New("SEVERITY", "CODE", "OBJECT", "FIELD", "FINDING", "REMEDY", "EXPLAINED IN")
	for i := range r.Findings {
		f := &r.Findings[i]
		t.Rows = append(t.Rows, []string{string(f.Severity), string(f.Code), f.Object.String(), f.Field, f.Message, f.Remedy, f.Link})
	}
	return t
}
