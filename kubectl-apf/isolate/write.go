package isolate

import (
	"fmt"
	"io"
	"strings"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

// WriteTable writes the result for people.
func (r *Result) WriteTable(w io.Writer, options table.Options) error {
	fmt.Fprintln(w, table.Escape(r.title()))
	for i := range r.Objects {
		o := &r.Objects[i]
		fmt.Fprintln(w, "\n"+table.Escape(o.head()))
		for _, sentence := range o.Why {
			table.WriteWords(w, sentence, "  ", options)
		}
	}
	fmt.Fprintln(w)
	if err := r.WriteEffect(w, options); err != nil {
		return err
	}
	return table.WriteNotes(w, "", r.Notes)
}

// title is the first line.
func (r *Result) title() string {
	if r.Demoted != "" {
		return "Demoted: " + r.Demoted
	}
	return "Operator: " + r.whose()
}

// WriteEffect writes what applying the objects changes, and what package lint finds.
func (r *Result) WriteEffect(w io.Writer, options table.Options) error {
	if err := r.Diff.WriteTable(w, options); err != nil {
		return err
	}
	fmt.Fprintln(w)
	if len(r.Findings) == 0 {
		fmt.Fprintln(w, "kubectl apf lint finds nothing in these objects.")
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintln(w, table.Escape(fmt.Sprintf("%s %s %s: %s %s", f.Severity, f.Code, f.Object, f.Message, f.Remedy)))
	}
	return nil
}

// head returns the object with what decides about it.
func (o *Object) head() string {
	if l := o.PriorityLevel; l != nil {
		return fmt.Sprintf("PriorityLevelConfiguration %s: %d shares", l.Name, *l.Spec.Limited.NominalConcurrencyShares)
	}
	s := o.FlowSchema
	return fmt.Sprintf("FlowSchema %s: precedence %d, to %s", s.Name, s.Spec.MatchingPrecedence, s.Spec.PriorityLevelConfiguration.Name)
}

// Manifests returns the objects as YAML to apply, with what explains them as comments.
func (r *Result) Manifests() (string, error) {
	var text strings.Builder
	comment := func(sentence string) { table.WriteWords(&text, sentence, "# ", table.Options{}) }
	comment("Written by kubectl apf isolate for the " + r.whose() + ".")
	for _, note := range r.Notes {
		comment("Note: " + note)
	}
	for i := range r.Objects {
		o := &r.Objects[i]
		text.WriteString("---\n")
		for _, sentence := range o.Why {
			comment(sentence)
		}
		var one string
		var err error
		if o.FlowSchema != nil {
			one, err = configuration.Manifest(o.FlowSchema.TypeMeta, &o.FlowSchema.ObjectMeta, &o.FlowSchema.Spec)
		} else {
			one, err = configuration.Manifest(o.PriorityLevel.TypeMeta, &o.PriorityLevel.ObjectMeta, &o.PriorityLevel.Spec)
		}
		if err != nil {
			return "", err
		}
		text.WriteString(one)
	}
	return text.String(), nil
}
