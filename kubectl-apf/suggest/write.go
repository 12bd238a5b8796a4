package suggest

import (
	"fmt"
	"io"
	"strings"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/configuration"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/simulate"
	"github.com/flowcontrol-apiserver/flowcontrol-apiserver/kubectl-apf/table"
)

func equal(a, b *flowcontrolv1.PriorityLevelConfiguration) bool {
	return equality.Semantic.DeepEqual(a.Spec, b.Spec)
}

// manifest returns what is applied.
func manifest(l *flowcontrolv1.PriorityLevelConfiguration) *flowcontrolv1.PriorityLevelConfiguration {
	return &flowcontrolv1.PriorityLevelConfiguration{
		TypeMeta:   metav1.TypeMeta{APIVersion: flowcontrolv1.SchemeGroupVersion.String(), Kind: "PriorityLevelConfiguration"},
		ObjectMeta: metav1.ObjectMeta{Name: l.Name},
		Spec:       l.Spec,
	}
}

// Manifests returns the objects that change as YAML, which can be applied.
func (s *Suggestion) Manifests() (string, error) {
	var text strings.Builder
	for _, l := range s.PriorityLevels {
		one, err := configuration.Manifest(l.TypeMeta, &l.ObjectMeta, &l.Spec)
		if err != nil {
			return "", err
		}
		text.WriteString("---\n" + one)
	}
	return text.String(), nil
}

// WriteTable writes the suggestion for people.
func (s *Suggestion) WriteTable(w io.Writer, options table.Options) error {
	switch {
	case s.Met && len(s.Steps) == 0:
		fmt.Fprintln(w, "The goals are met without a change.")
	case s.Met:
		fmt.Fprintf(w, "The goals are met after %d steps, found by %d simulations:\n", len(s.Steps), s.Simulations)
	case len(s.Steps) > 0:
		fmt.Fprintf(w, "The goals are not met. These %d steps come closest, of %d simulations:\n", len(s.Steps), s.Simulations)
	default:
		fmt.Fprintf(w, "The goals are not met, and no step comes closer, of %d simulations.\n", s.Simulations)
	}
	for _, text := range s.Steps {
		fmt.Fprintln(w, "  "+text)
	}
	sections := []struct {
		title string
		table table.Table
	}{
		{"GOALS BEFORE", simulate.VerdictTable(s.Before)},
		{"GOALS AFTER", simulate.VerdictTable(s.After)},
		{"WHO GAINS AND WHO PAYS", simulate.DifferenceTable(s.Differences)},
	}
	for _, section := range sections {
		if len(section.table.Rows) == 0 {
			continue
		}
		fmt.Fprintln(w, "\n"+section.title)
		if err := section.table.Write(w, options); err != nil {
			return err
		}
	}
	manifests, err := s.Manifests()
	if err != nil {
		return err
	}
	if manifests != "" {
		fmt.Fprint(w, "\nCONFIGURATION\n"+manifests)
	}
	return table.WriteNotes(w, "\n", s.Notes)
}
